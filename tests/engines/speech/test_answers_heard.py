"""Answers to a question, as the embedded recogniser hears them: their grammar takes the place of the commands."""

from __future__ import annotations

from support.voices import say, silence
from zero_one.conversation import challenge
from zero_one.conversation.answers import read_answer
from zero_one.conversation.expected import answers
from zero_one.speech.stt.base import HearOptions, Transcript
from zero_one.speech.stt.pocketsphinx import PocketSphinx

COMMANDS = "#JSGF V1.0; grammar c; public <u> = what time is it | go to reddit | set a timer | faster please;"
SAID = [("yes", "yes"), ("yes please", "yes"), ("go ahead", "yes"), ("no", "no"), ("don't do it", "no"), ("stop", "no")]
OTHER = ["what a lovely day", "the weather will be fine tomorrow", "chess is nice"]
CHALLENGES = ["amber basket seven", "tiger window three", "orange kitchen five", "rocket island nine"]


async def hear(engine: PocketSphinx, pcm: bytes, grammar: str = "") -> Transcript:
    recognition = engine.start(HearOptions("en", grammar=grammar))
    for at in range(0, len(pcm), 3200):
        recognition.feed(pcm[at : at + 3200])
    return await recognition.finish()


async def test_answers_are_heard_and_other_words_are_not_made_into_them() -> None:
    """Three voices. The grammar of answers holds for one utterance only: commands are heard again after it."""
    engine = PocketSphinx(COMMANDS)
    await engine.warm()
    try:
        for voice in ("rms", "kal16", "slt"):
            for text, wanted in SAID:
                heard = await hear(engine, say(text, voice, 200), answers(False))
                assert read_answer(heard.text).answer == wanted, (voice, text, heard)
            for text in OTHER:
                heard = await hear(engine, say(text, voice, 200), answers(False))
                assert read_answer(heard.text).answer == "unclear", (voice, text, heard)
            for words in CHALLENGES:
                heard = await hear(engine, say(words, voice, 200), answers(True))
                assert challenge.same(heard.text, words), (voice, words, heard)
        assert (await hear(engine, say("what time is it", "rms", 200))).text == "what time is it"
        quiet = await hear(engine, silence(2500), answers(False))
        assert (quiet.text, quiet.rejected) == ("", False), "a hold in silence is heard as nothing at all"
    finally:
        await engine.close()
