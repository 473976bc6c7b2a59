"""The mathematics that models write in TeX: the commonest commands in words, the rest without their signs."""

from __future__ import annotations

import re

_WORDS = {
    "times": "times", "cdot": "times", "div": "divided by", "pm": "plus or minus", "leq": "at most", "le": "at most",
    "geq": "at least", "ge": "at least", "neq": "is not", "ne": "is not", "approx": "about", "infty": "infinity",
    "to": "to", "rightarrow": "to", "sum": "sum of", "int": "integral of", "ldots": "...", "dots": "...",
    "left": "", "right": "", "quad": "", "displaystyle": "",
}  # fmt: skip
_DISPLAY = re.compile(r"\$\$(.+?)\$\$|\\\[(.+?)\\\]|\\\((.+?)\\\)", re.DOTALL)
_FRACTION = re.compile(r"\\[dt]?frac\s?\{([^{}]*)\}\s?\{([^{}]*)\}")
_ROOT = re.compile(r"\\sqrt\s?\{([^{}]*)\}")
_PLAIN = re.compile(r"\\(?:text|mathrm|mathbf|mathit|operatorname|boxed)\s?\{([^{}]*)\}")
_COMMAND = re.compile(r"\\([A-Za-z]+)(?![A-Za-z])")
_SUBSCRIPT = re.compile(r"(?<=\w)_\{?(\w+)\}?")
_DEEPEST = 8


def plain(text: str) -> str:
    """``\\(\\frac{a}{b}\\)`` → ``a over b``. Text without such marks stays as it is."""
    if "\\" not in text and "$$" not in text:
        return text
    return _DISPLAY.sub(lambda m: _formula(m[1] or m[2] or m[3]), text)


def _formula(text: str) -> str:
    for _ in range(_DEEPEST):
        before = text
        text = _PLAIN.sub(r"\1", text)
        text = _ROOT.sub(r" square root of \1 ", text)
        text = _FRACTION.sub(r" \1 over \2 ", text)
        if text == before:
            break
    text = _COMMAND.sub(lambda m: f" {_WORDS.get(m[1], m[1])} ", text)
    text = _SUBSCRIPT.sub(r" \1", text)
    return f" {text} "
