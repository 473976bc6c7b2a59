"""Keeps the thoughts that some models write at the start of an answer (``<think>…</think>``) from being spoken."""

from __future__ import annotations

_TAGS = {"<think>": "</think>", "<thinking>": "</thinking>", "<reasoning>": "</reasoning>"}


class ThoughtFilter:
    """``feed`` returns what may be spoken of the text so far; ``finish`` what was held back at the end."""

    def __init__(self) -> None:
        self._text = ""
        self._close = ""
        self._through = False

    def feed(self, text: str) -> str:
        if self._through:
            return text
        self._text += text
        if not self._close:
            start = self._text.lstrip()
            tag = next((tag for tag in _TAGS if start.startswith(tag)), None)
            if tag is None:
                if any(known.startswith(start) for known in _TAGS):
                    return ""
                return self._pass_on(self._text)
            self._close, self._text = _TAGS[tag], start[len(tag) :]
        before, closed, after = self._text.partition(self._close)
        if not closed:
            self._text = before[-len(self._close) :]
            return ""
        self._close, self._text = "", after.lstrip()
        return self.feed("") if self._text else ""

    def finish(self) -> str:
        """Thoughts that never ended are thoughts still."""
        rest, self._text = ("" if self._close else self._text), ""
        return rest

    def _pass_on(self, text: str) -> str:
        self._through, self._text = True, ""
        return text
