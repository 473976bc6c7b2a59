"""Shell words: what a word of a parse tree stands for once quotes, escapes and known variables are taken away."""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from dataclasses import dataclass

from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class Word:
    """``text`` as the program would see it; what cannot be known stays as it was written and ``sure`` is false."""

    text: str
    sure: bool = True
    quoted: bool = False


_ANSI = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "e": "\x1b",
    "E": "\x1b",
    "0": "\0",
}


def ansi(text: str) -> str:
    """The inside of ``$'…'``, and of ``echo -e`` and ``printf``."""

    def one(m: re.Match[str]) -> str:
        s = m.group(1)
        if s[0] == "x" and len(s) > 1:
            return chr(int(s[1:], 16))
        if s[0] in "uU" and len(s) > 1:
            return chr(min(int(s[1:], 16), 0x10FFFF))
        if s[0] in "01234567":
            return chr(int(s, 8) % 256)
        return _ANSI.get(s, "\\" + s)

    return re.sub(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,4}|.)", one, text, flags=re.S)


def text_of(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def expand_braces(word: Word) -> list[Word]:
    """``{rm,-rf,/}`` is three words. Nested braces stay as they are."""
    m = re.fullmatch(r"([^{}]*)\{([^{}]*,[^{}]*)\}([^{}]*)", word.text, re.S)
    if not m or word.quoted:
        return [word]
    return [Word(m[1] + part + m[3], word.sure) for part in m[2].split(",")]


def split_unquoted(word: Word) -> list[Word]:
    """An unquoted expansion is split at white space, as the shell does."""
    if word.quoted or not re.search(r"\s", word.text):
        return [word]
    return [Word(part, word.sure) for part in word.text.split()]


def decode(program: str, args: list[str], text: str) -> str | None:
    """What a small filter makes of ``text``: base64 -d, xxd -r -p, rev, tr, cat …; None where that is not known."""
    flags = "".join(a.lstrip("-") for a in args if a.startswith("-"))
    try:
        if program in ("base64", "base32", "openssl"):
            wants = "d" in flags.lower() or "decode" in flags
            if not wants:
                return None
            raw = re.sub(r"\s", "", text)
            plain = base64.b32decode(raw) if program == "base32" else base64.b64decode(raw + "=" * (-len(raw) % 4))
            return plain.decode("utf-8", "replace")
        if program == "xxd" and "r" in flags:
            return bytes.fromhex(re.sub(r"\s", "", text)).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return None
    if program == "rev":
        return "\n".join(line[::-1] for line in text.split("\n"))
    if program == "cat" and not [a for a in args if not a.startswith("-")]:
        return text
    if program == "tr" and len(args) == 2 and not flags:
        if {args[0], args[1]} == {"A-Za-z", "N-ZA-Mn-za-m"}:
            return codecs.encode(text, "rot13")
        if len(args[0]) == len(args[1]) == 1:
            return text.replace(args[0], args[1])
    return None


def printed(program: str, args: list[Word]) -> str | None:
    """What echo or printf print, when all of it is known."""
    if program not in ("echo", "printf") or not all(a.sure for a in args):
        return None
    texts = [a.text for a in args]
    if program == "echo":
        escapes = False
        while texts and re.fullmatch(r"-[neE]+", texts[0]):
            escapes = escapes or "e" in texts.pop(0)
        out = " ".join(texts)
        return ansi(out) if escapes else out
    if texts and texts[0] == "--":
        texts = texts[1:]
    if not texts:
        return None
    pattern, rest = texts[0], texts[1:]
    if re.search(r"%[^sb%]", pattern):
        return None
    if "%" not in pattern:
        return ansi(pattern)
    pieces: list[str] = []

    def filled(m: re.Match[str]) -> str:
        if m[1] == "%":
            return "%"
        text = rest.pop(0) if rest else ""
        return ansi(text) if m[1] == "b" else text

    while True:
        before = len(rest)
        # An escape may stand for a per cent sign, which is then no field.
        parts = re.split(r"(%[sb%])", pattern)
        pieces += [re.sub(r"%([sb%])", filled, p) if i % 2 else ansi(p) for i, p in enumerate(parts)]
        if not rest or len(rest) == before:  # a pattern that takes nothing is printed once
            return "".join(pieces)
