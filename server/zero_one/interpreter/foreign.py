"""Text from outside, marked for the model as what it is: something to look at, never something to obey."""

from __future__ import annotations

from zero_one.interpreter.history import Entry

OPEN, CLOSE = "\u27e6", "\u27e7"
"""The brackets of a mark. They stand nowhere inside it: there they become ordinary ones."""


def as_data(text: str, entry: Entry) -> str:
    """``text`` between marks that nobody outside could have written; our own words as they are.

    The marks hold the entry's random id, which was drawn after the text was written. Brackets like those of the marks,
    and the openings of the control words by which some servers tell roles apart, do not come through.
    """
    if not entry.sources or entry.message.format == "note" or not text.strip():
        return text
    ident, sources = entry.message.id, ", ".join(entry.sources)
    inside = text.replace(OPEN, "[").replace(CLOSE, "]").replace("<|", "< |").strip("\n")
    return f"{OPEN}data {ident} from {sources}{CLOSE}\n{inside}\n{OPEN}end of data {ident}{CLOSE}"
