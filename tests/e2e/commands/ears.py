"""The embedded recogniser with the commands' grammar, in worker processes: one engine each, used for all utterances."""

from __future__ import annotations

from dataclasses import dataclass

from support.voices import say
from zero_one.speech.stt.pocketsphinx import ACCEPT, PocketSphinx, decode_whole

_engine: PocketSphinx | None = None


@dataclass(frozen=True)
class Heard:
    """``belief`` is the recogniser's that it was a command (0 to 1), or None where only the grammar was asked."""

    text: str
    belief: float | None

    @property
    def accepted(self) -> bool:
        return bool(self.text) and self.belief is not None and self.belief >= ACCEPT


def begin(jsgf: str) -> None:
    global _engine
    _engine = PocketSphinx(jsgf)


def hear_voice(text: str, voice: str, judged: bool) -> Heard:
    return hear(say(text, voice, silence_ms=200), judged)


def hear(pcm: bytes, judged: bool) -> Heard:
    """What the grammar makes of ``pcm``; ``judged`` also decides, as in a conversation, whether it was a command."""
    assert _engine is not None
    ears = _engine.borrow()
    try:
        if not judged:
            return Heard(decode_whole(ears.grammar, pcm).text, None)
        verdict = _engine.judge(ears, pcm, decode_whole(ears.free, pcm))
        return Heard("", 0.0) if verdict is None else Heard(verdict.text, verdict.belief)
    finally:
        _engine.give_back(ears)
