"""Emoji and signs that have a name, and those better left out."""

from __future__ import annotations

import re
import unicodedata

_MEANING = {
    "✅": "done", "✔": "done", "☑": "done", "❌": "no", "✖": "no", "⚠": "warning", "🚨": "alert", "⛔": "not allowed",
    "🚫": "not allowed", "👍": "thumbs up", "👎": "thumbs down", "❤": "heart", "☀": "sun", "🌧": "rain", "❄": "snow",
    "⭐": "star", "🔥": "fire", "🎉": "party popper", "💡": "light bulb", "📁": "folder", "📄": "document",
    "😀": "smile", "🙂": "smile", "😊": "smile", "😂": "laughing", "😢": "crying", "😭": "crying",
}  # fmt: skip
_SPOKEN_IN_TEXT = frozenset("✅✔☑❌✖⚠🚨⛔🚫")
"""These carry the message; the others decorate it and are only said where there is nothing else."""

SIGNS = {
    "×": " times ", "÷": " divided by ", "±": " plus or minus ", "≈": " about ", "≤": " at most ", "≥": " at least ",
    "≠": " is not ", "√": " square root of ", "∞": " infinity ", "π": " pi ", "→": " to ", "⇒": " so ", "←": " from ",
    "↔": " to and from ", "∑": " sum of ", "∫": " integral of ", "∆": " delta ", "Δ": " delta ", "μ": "µ",
    "Ω": " ohms ", "λ": " lambda ", "θ": " theta ", "α": " alpha ", "β": " beta ", "σ": " sigma ",
    "∈": " in ", "∪": " union ", "∩": " intersection ", "∂": " partial ", "∴": " so ", "∝": " is proportional to ",
    "©": " copyright ", "®": " ", "™": " ", "§": " section ", "¶": " ", "•": ", ", "·": " ", "†": " ", "…": "...",
    "–": "-", "—": ", ", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "‚": "'",
    "½": " 1/2 ", "¼": " 1/4 ", "¾": " 3/4 ", "⅓": " 1/3 ", "⅔": " 2/3 ", "⅛": " 1/8 ", "−": "-", "⁄": "/",
    "㎞": " km ", "℃": "°C", "℉": "°F", "№": " number ", "✓": " done ", "✗": " no ", "\u00a0": " ", "\u202f": " ",
    "\u2009": " ", "‑": "-",
}  # fmt: skip
_SIGN = re.compile("|".join(map(re.escape, SIGNS)))

_EMOJI = re.compile(
    "[\U0001f1e6-\U0001f1ff]{2}|[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\u2300-\u23ff\u25a0-\u25ff\u3030\u303d]"
    "[\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff]*(?:\u200d[\U0001f000-\U0001faff\u2600-\u27bf][\ufe0f\U0001f3fb-\U0001f3ff]*)*"
)


def signs(text: str) -> str:
    text = re.sub(r"\s[–—]\s", ", ", text)
    text = _SIGN.sub(lambda match: SIGNS[match[0]], text)
    return re.sub(r"µ(?!\w)", " micro ", text)


def emoji(text: str, language: str = "en") -> str:
    """Emoji that carry the message are said; decoration is dropped unless it is all there is."""
    text = re.sub("([0-9#*])\ufe0f?\u20e3", r"\1 ", text)
    alone = not any(sign.isalnum() for sign in _EMOJI.sub("", text))

    def say(match: re.Match[str]) -> str:
        first = match[0][0]
        if language != "en":
            return " "
        if alone or first in _SPOKEN_IN_TEXT:
            return f" {_name(match[0])} " if alone else f" {_name(match[0])}, "
        return " "

    return _EMOJI.sub(say, text)


def _name(sign: str) -> str:
    first = sign[0]
    if first in _MEANING:
        return _MEANING[first]
    if "\U0001f1e6" <= first <= "\U0001f1ff":
        return "flag"
    return unicodedata.name(first, "").lower().replace("-", " ")
