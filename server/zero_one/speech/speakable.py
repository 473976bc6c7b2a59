"""What is written, as it is said: markup gone, numbers, units, dates, links and signs in words.

Engines differ in what they can read, so the same is done for all of them. English gets everything; in other languages
markup, links and emoji are handled and numbers are left to the engine, which knows its language's grammar.
"""

from __future__ import annotations

import re

from zero_one.speech.wording import addresses, dates, english, latex, markup, symbols

_CONTROL = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ud800-\udfff]"
)
_LEFT_OVER = re.compile(r"[*`#|<>\[\]{}~^\\_\u200d\ufe0e\ufe0f]+")


def speakable(text: str, language: str = "en") -> str:
    """One line of plain words. Never raises; empty where there is nothing to say."""
    english_words = language.lower().startswith("en")
    text = _CONTROL.sub("", text).strip()
    text = markup.plain(latex.plain(text) if english_words else text)
    text = symbols.emoji(text, "en" if english_words else language)
    text = symbols.signs(text) if english_words else text
    if english_words:
        text = english.say(addresses.say(dates.say(text)))
    else:
        text = re.sub(r"\bhttps?://(?:www\.)?([^\s/]+)\S*", r"\1", text)
    text = _LEFT_OVER.sub(" ", text)
    return _tidy(text)


def _tidy(text: str) -> str:
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"\s+([,.;:!?])", r"\1", text)
    text = re.sub(r"([,;:])(?:\s*[,;:])+", r"\1", text)
    text = re.sub(r"[,;:]\s*([.!?])", r"\1", text)
    text = re.sub(r"\(\s+(?=\S)", "(", re.sub(r"\(\s*\)|\"\s*\"", "", text))
    text = re.sub(r"^[\s,;:.!?)\"'-]+(?=\w)", lambda m: m[0][-1] if m[0][-1] in "\"'" else "", text)
    text = re.sub(r"\s+", " ", text).strip()
    return text if re.search(r"\w", text) else ""
