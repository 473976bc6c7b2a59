"""Markdown to plain sentences. Works on whole documents and on single clauses, whose markup may be cut in half."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

_LANGUAGES = {
    "py": "Python", "python": "Python", "js": "JavaScript", "javascript": "JavaScript", "ts": "TypeScript",
    "typescript": "TypeScript", "sh": "shell", "bash": "shell", "shell": "shell", "zsh": "shell", "console": "shell",
    "powershell": "PowerShell", "html": "H T M L", "css": "C S S", "sql": "S Q L", "c": "C", "cpp": "C plus plus",
    "c++": "C plus plus", "rust": "Rust", "go": "Go", "java": "Java", "json": "Jason", "yaml": "YAML",
    "applescript": "AppleScript", "r": "R",
}  # fmt: skip
_ENDS = (".", "!", "?", ":", ";", ",", "…")
_MARKUP = re.compile(r"[*_`#~|<>\[\]\\&]|^\s*(?:[-+=]|\d+[.)])\s|^\s*-{3,}|https?://|\n", re.MULTILINE)
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})", re.MULTILINE)


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def plain(text: str) -> str:
    """``text`` without its markup, one sentence or line per block."""
    if not _MARKUP.search(text):
        return text
    blocks = _blocks(_parser().parse(_protect(text)))
    return html.unescape(" ".join(block for block in blocks if block))


def _protect(text: str) -> str:
    """Task boxes go. Four leading spaces of a clause are no code block; a lone emphasis sign inside a sum is a sign."""
    text = re.sub(
        r"^(\s*(?:[-*+]|\d+[.)])\s+)\[([ xX])\]\s",
        lambda m: m[1] + ("" if m[2] == " " else "done, "),
        text,
        flags=re.MULTILINE,
    )
    if not _FENCE.search(text):
        text = re.sub(r"^[ \t]+(?![-*+]\s|\d+[.)]\s)", "", text, flags=re.MULTILINE)
    return re.sub(r"(?<=[\w)])\s*(?<!\*)\*(?!\*)\s*(?=[\d(])", " × ", text)


def _blocks(tokens: Sequence[Token]) -> list[str]:
    said: list[str] = []
    header: list[str] = []
    row: list[str] = []
    in_head = False
    lists: list[int | None] = []
    lead = ""
    for token in tokens:
        match token.type:
            case "fence" | "code_block":
                said.append(_code_block(token))
            case "html_block":
                said.append(_sentence(re.sub(r"<[^>]*>", " ", token.content)))
            case "ordered_list_open":
                lists.append(int(token.attrGet("start") or 1))
            case "bullet_list_open":
                lists.append(None)
            case "ordered_list_close" | "bullet_list_close":
                lists.pop()
            case "list_item_open" if lists and lists[-1] is not None:
                lead = f"{lists[-1]}, "
                lists[-1] += 1
            case "thead_open":
                in_head, header = True, []
            case "thead_close":
                in_head = False
            case "tr_open":
                row = []
            case "th_close" | "td_close":
                pass
            case "tr_close":
                if in_head:
                    header = row
                else:
                    said.append(_row(header, row))
                row = []
            case "inline" if _inside_cell(token, tokens):
                row.append(_inline(token.children or []))
            case "inline":
                said.append(
                    _sentence(lead + _inline(token.children or []), close=bool(lists) or _is_heading(token, tokens))
                )
                lead = ""
            case _:
                pass
    last = len(said) - 1
    return [
        line if index == last or line.endswith(_ENDS) or not line else f"{line}." for index, line in enumerate(said)
    ]


def _inside_cell(token: Token, tokens: Sequence[Token]) -> bool:
    before = tokens[tokens.index(token) - 1].type if tokens.index(token) else ""
    return before in ("th_open", "td_open")


def _is_heading(token: Token, tokens: Sequence[Token]) -> bool:
    return bool(tokens.index(token)) and tokens[tokens.index(token) - 1].type == "heading_open"


def _code_block(token: Token) -> str:
    lines = [line for line in token.content.splitlines() if line.strip()]
    if not lines:
        return ""
    language = _LANGUAGES.get((token.info or "").strip().split(" ")[0].lower(), "")
    if len(lines) == 1 and len(lines[0]) <= 60 and language in ("", "shell"):
        return _sentence(lines[0].lstrip("$> "), close=True)
    many = "1 line" if len(lines) == 1 else f"{len(lines)} lines"
    return f"{many} of {language} code." if language else f"{many} of code."


def _row(header: Sequence[str], row: Sequence[str]) -> str:
    pairs = []
    for index, cell in enumerate(row):
        if not cell:
            continue
        name = header[index] if index < len(header) else ""
        pairs.append(f"{name}: {cell}" if name and index else cell)
    return _sentence(", ".join(pairs), close=True)


def _inline(children: Sequence[Token]) -> str:
    out: list[str] = []
    link = ""
    start = 0
    for child in children:
        match child.type:
            case "text" | "code_inline":
                out.append(child.content)
            case "softbreak" | "hardbreak":
                out.append(" ")
            case "image":
                alt = child.content.strip()
                out.append(f"picture: {alt}" if alt else "a picture")
            case "link_open":
                link, start = str(child.attrGet("href") or ""), len(out)
            case "link_close":
                if not "".join(out[start:]).strip():
                    out.append(link)
            case "html_inline":
                out.append(" " if re.match(r"</?(br|p|div|li|td|tr)\b", child.content, re.IGNORECASE) else "")
            case _:
                pass
    return re.sub(r"\s+", " ", "".join(out)).strip()


def _sentence(text: str, *, close: bool = False) -> str:
    text = re.sub(r"\s+", " ", text).strip()
    return f"{text}." if close and text and not text.endswith(_ENDS) else text
