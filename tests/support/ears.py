"""What a recogniser makes of sound: which of several sentences it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from zero_one.audio.formats import read_wav, silence
from zero_one.speech.speakable import speakable

DISTRACTORS = (
    "the train leaves from platform seven", "my sister plays the violin", "there is no milk in the fridge",
    "the museum closes at five", "we planted three apple trees", "the lecture was about volcanoes",
    "he painted the old fence green", "rain is expected on thursday", "the cat sleeps under the piano",
    "please bring a warm coat", "the bakery opens before sunrise", "our neighbours moved to canada",
    "she writes poems about winter", "the bridge is under repair", "he forgot his umbrella again",
    "the orchestra tunes its instruments", "a letter arrived from the bank", "the soup needs more pepper",
    "they climbed the northern ridge", "the library lends out tools", "his bicycle has a flat tyre",
)  # fmt: skip


HOURS = "one two three four five six seven eight nine ten eleven twelve".split()
ALIKE = (
    "twelve one", "twelve two", "twelve eight", "five nine", "six two", "six three",
    "eight two", "eight three", "eight six", "eight nine", "nine two",
)  # fmt: skip
"""Hours that this recogniser takes for each other in a synthetic voice."""
_BEAM = 1e-200
"""As good as open: a strange voice still gets to the end of its sentence."""


def which(pcm: bytes, sentences: Sequence[str]) -> str:
    """The sentence that 16 kHz PCM sounds most like, by pocketsphinx with a grammar of exactly these.

    All are equally likely to it. "" where nobody speaks: a grammar alone hears a sentence in noise and in silence, too.
    """
    from pocketsphinx import Decoder

    sound = silence(300, 16_000) + pcm + silence(300, 16_000)
    if _voiced_ms(sound) < 100:
        return ""
    # The second pass over the lattice ("bestpath") loses the last words of a grammar's sentence, and the usual beams
    # lose a whole sentence whose last syllables are unusual ("... a m").
    decoder: Any = Decoder(lm=None, loglevel="FATAL", bestpath=False, cmn="batch", beam=_BEAM, wbeam=_BEAM, pbeam=_BEAM)
    for word in {word for sentence in sentences for word in sentence.split()}:
        assert decoder.lookup_word(word), f"the recogniser does not know {word!r}"
    rules = " | ".join(f"( {sentence} )" for sentence in sentences)
    decoder.add_jsgf_string("which", f"#JSGF V1.0; grammar which; public <which> = {rules};")
    decoder.activate_search("which")
    return _decode(decoder, sound)


def _voiced_ms(pcm: bytes) -> int:
    """How long there is a pitch of 60 to 400 Hz in 16 kHz PCM: a voice has one, noise and silence have none."""
    samples = np.frombuffer(pcm, dtype="<i2").astype(np.float64)
    voiced = 0
    for at in range(0, len(samples) - 640 + 1, 320):
        frame = samples[at : at + 640] - samples[at : at + 640].mean()
        if frame.std() < 100:
            continue
        spectrum = np.fft.rfft(frame, 2048)
        likeness = np.fft.irfft(spectrum * spectrum.conj())
        voiced += bool(likeness[40:267].max() > 0.5 * likeness[0])
    return voiced * 20


def _decode(decoder: Any, pcm: bytes) -> str:
    decoder.start_utt()
    decoder.process_raw(pcm, full_utt=True)
    decoder.end_utt()
    found = decoder.hyp()
    return found.hypstr if found is not None else ""


def which_in(wav: Path, sentences: Sequence[str]) -> str:
    return which(read_wav(wav, 16_000), sentences)


def without_gaps(pcm: bytes, rate: int) -> bytes:
    """Speech without the holes that a busy machine tears into it while it is played.

    A hole is nothing at all in the middle of a sound. So is the stop before some consonants of a synthetic voice, which
    nobody misses: its words are told apart all the same.
    """
    sound = np.frombuffer(pcm, dtype="<i2").astype(np.int32)
    nothing = np.concatenate(([False], np.abs(sound) <= 3, [False])).astype(np.int8)
    kept = np.ones(len(sound), dtype=bool)
    near, least = rate * 2 // 1000, rate * 8 // 1000
    edges = np.flatnonzero(np.diff(nothing))
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        around = sound[max(0, start - near) : start], sound[end : end + near]
        if end - start >= least and all(len(side) and np.abs(side).max() > 400 for side in around):
            kept[start:end] = False
    return bytes(sound[kept].astype("<i2").tobytes())


def words(text: str) -> str:
    """Text as it is said: words alone, in lower case."""
    return " ".join(re.findall(r"[a-z']+", speakable(text, "en").lower()))


def other_times(answer: str) -> list[str]:
    """For "it's three fifteen a m", the same minute of other hours: what the answer must not be taken for.

    The same hour of the other half of the day is left out: "a m" and "p m" are a single short sound apart.
    """
    its, hour, *minute, _, m = answer.split()
    assert (its, m) == ("it's", "m"), answer
    assert hour in HOURS, answer
    alike = {hour}.union(*(pair.split() for pair in ALIKE if hour in pair.split()))
    return [" ".join([its, other, *minute, half, m]) for other in HOURS if other not in alike for half in "ap"]
