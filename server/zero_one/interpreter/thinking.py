"""Keeps the thoughts that some models write at the start of an answer (``<think>…</think>``) from being spoken."""

from __future__ import annotations

_TAGS = {"<think>": "</think>", "<thinking>": "</thinking>", "<reasoning>": "</reasoning>"}


class ThoughtFilter:
    """``feed`` returns what may be spoken of the text so far; ``finish`` what was held back at the end."""

    def __init__(self) -> None:
        self._text = ""
        self._close = ""
        self._trim = False  # a thought has ended and the words after it have not begun
        self._through = False

    def feed(self, text: str) -> str:
        if self._through:
            return text
        self._text += text
        if self._close:
            before, closed, after = self._text.partition(self._close)
            if not closed:
                self._text = before[-len(self._close) :]
                return ""
            self._close, self._text, self._trim = "", after, True
        start = self._text.lstrip()
        for tag, close in _TAGS.items():
            if start.startswith(tag):
                self._close, self._text = close, start[len(tag) :]
                return self.feed("")
        if any(tag.startswith(start) for tag in _TAGS):
            return ""
        self._through = True
        return start if self._trim else self._text

    def finish(self) -> str:
        """Thoughts that never ended are thoughts still."""
        rest = "" if self._close or self._through else self._text
        self._text = ""
        return rest.lstrip() if self._trim else rest
