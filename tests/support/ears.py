"""What a recogniser makes of sound: which of several sentences it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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
ALIKE = ("twelve one", "five nine", "six two", "six three", "eight six", "eight two", "eight nine", "nine two")
"""Hours that this recogniser takes for each other in a synthetic voice."""
_BEAM = 1e-200
"""As good as open: a strange voice still gets to the end of its sentence."""


def which(pcm: bytes, sentences: Sequence[str]) -> str:
    """The sentence that 16 kHz PCM sounds most like, by pocketsphinx with a grammar of exactly these.

    All are equally likely to it. "" where nobody speaks: a grammar alone hears a sentence in noise and in silence, too.
    """
    from pocketsphinx import Decoder, get_model_path

    sound = silence(300, 16_000) + pcm + silence(300, 16_000)
    phones: Any = Decoder(lm=None, loglevel="FATAL", bestpath=False, cmn="batch")
    phones.add_allphone_file("phones", get_model_path("en-us/en-us-phone.lm.bin"))
    phones.activate_search("phones")
    if not any(phone[0] in "AEIOU" for phone in _decode(phones, sound).split()):  # no vowel, nobody who speaks
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


def _decode(decoder: Any, pcm: bytes) -> str:
    decoder.start_utt()
    decoder.process_raw(pcm, full_utt=True)
    decoder.end_utt()
    found = decoder.hyp()
    return found.hypstr if found is not None else ""


def which_in(wav: Path, sentences: Sequence[str]) -> str:
    return which(read_wav(wav, 16_000), sentences)


def words(text: str) -> str:
    """Text as it is said: words alone, in lower case."""
    return " ".join(re.findall(r"[a-z']+", speakable(text, "en").lower()))


def other_times(answer: str) -> list[str]:
    """For "it's three fifteen a m", the same minute of other hours: what the answer must not be taken for."""
    its, hour, *minute, _, m = answer.split()
    assert (its, m) == ("it's", "m"), answer
    assert hour in HOURS, answer
    apart = [other for other in HOURS if not any({hour, other} == set(pair.split()) for pair in ALIKE)]
    times = [" ".join([its, other, *minute, at, m]) for other in apart for at in "ap"]
    return [time for time in times if time != answer]
