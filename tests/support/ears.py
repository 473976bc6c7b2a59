"""What a recogniser makes of sound: which of several sentences it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from zero_one.audio.formats import read_wav

DISTRACTORS = (
    "the train leaves from platform seven", "my sister plays the violin", "there is no milk in the fridge",
    "the museum closes at five", "we planted three apple trees", "the lecture was about volcanoes",
    "he painted the old fence green", "rain is expected on thursday", "the cat sleeps under the piano",
    "please bring a warm coat", "the bakery opens before sunrise", "our neighbours moved to canada",
    "she writes poems about winter", "the bridge is under repair", "he forgot his umbrella again",
    "the orchestra tunes its instruments", "a letter arrived from the bank", "the soup needs more pepper",
    "they climbed the northern ridge", "the library lends out tools", "his bicycle has a flat tyre",
)  # fmt: skip


def which(pcm: bytes, sentences: tuple[str, ...]) -> str:
    """The sentence that 16 kHz PCM sounds most like, by pocketsphinx with a grammar of exactly these."""
    from pocketsphinx import Decoder

    decoder: Any = Decoder(lm=None, loglevel="FATAL")
    rules = " | ".join(sentences)
    decoder.add_jsgf_string("which", f"#JSGF V1.0; grammar which; public <which> = {rules};")
    decoder.activate_search("which")
    decoder.start_utt()
    decoder.process_raw(pcm, full_utt=True)
    decoder.end_utt()
    found = decoder.hyp()
    return found.hypstr if found is not None else ""


def which_in(wav: Path, sentences: tuple[str, ...]) -> str:
    return which(read_wav(wav, 16_000), sentences)
