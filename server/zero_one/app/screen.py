"""What a turn looks like in a terminal: the answer on standard output, everything else on standard error."""

from __future__ import annotations

import asyncio
import sys

from zero_one.protocol.events import Answer
from zero_one.protocol.lmc import Message
from zero_one_desktop.lines import read_lines


class Screen:
    """Prints LMC messages as they arrive."""

    def __init__(self) -> None:
        self._open = False
        self._streaming = False

    def message(self, message: Message) -> None:
        text = message.content if isinstance(message.content, str) else ""
        if message.type == "message" and message.role == "assistant":
            self._streaming = (self._streaming or message.start) and not message.end
            if text:
                print(printable(text), end="", flush=True)
                self._open = True
            if not self._streaming:
                self.finish()
        elif message.type == "code" and message.role == "assistant":
            self._note(text, f"--- {message.format or 'code'}" if message.start else "")
        elif message.type == "console":
            self._note(text, "")
        elif message.type == "error":
            self.finish()
            print(f"01: {printable(text)}", file=sys.stderr)

    def finish(self) -> None:
        """End the line that was begun."""
        if self._open:
            print(flush=True)
            self._open = False

    def _note(self, text: str, title: str) -> None:
        if not text and not title:
            return
        self.finish()
        if title:
            print(title, file=sys.stderr)
        if text:
            print(printable(text), end="" if text.endswith("\n") else "\n", file=sys.stderr, flush=True)


def printable(text: str) -> str:
    """Text without control characters: what a model or a program wrote must not steer the terminal."""
    return "".join(letter for letter in text if letter.isprintable() or letter in "\n\t")


class Terminal:
    """Puts approval questions to whoever sits at the terminal. Where nobody does, the answer is no."""

    def __init__(self) -> None:
        self._lines: asyncio.Queue[str | None] | None = None

    async def ask(self, message: Message) -> Answer:
        """Cancelled when the question ends elsewhere; a line typed later answers nothing."""
        content = message.content if isinstance(message.content, dict) else {}
        ident = message.id or str(content.get("id", ""))
        print(f"\n{printable(str(content.get('question', 'May I do this?')))}", file=sys.stderr)
        if code := content.get("code"):
            print("\n".join(f"    {line}" for line in printable(str(code)).splitlines()), file=sys.stderr)
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            print("Nobody is at this terminal to agree: no.", file=sys.stderr)
            return Answer(ident, "no")
        destroys = content.get("risk") == "destroy"
        prompt = "Type yes to agree, anything else is no: " if destroys else "Agree? [y/N, or no, but ...] "
        print(prompt, end="", file=sys.stderr, flush=True)
        return answer(ident, await self._line() or "", deliberate=destroys)

    async def _line(self) -> str | None:
        """The next line from now on; None at the end of input."""
        if self._lines is None:
            self._lines = asyncio.Queue()
            # A thread that may be left behind reads: nobody has to press Enter for this program to end.
            read_lines(sys.stdin.fileno(), self._lines.put_nowait, self._put_end)
        while not self._lines.empty():
            self._lines.get_nowait()
        return await self._lines.get()

    def _put_end(self) -> None:
        if self._lines is not None:
            self._lines.put_nowait(None)


def answer(ident: str, said: str, *, deliberate: bool = False) -> Answer:
    """What was typed, as an answer. Anything that is not a clear yes is no; words after a no go back to the model."""
    word, _, rest = said.strip().partition(" ")
    word = word.strip(",.;:").lower()
    if said.strip().lower() == "yes" or (not deliberate and said.strip().lower() in {"y", "ok", "sure"}):
        return Answer(ident, "yes")
    if word in {"n", "no"} and rest.strip():
        but = rest.strip().removeprefix("but ").strip()
        return Answer(ident, "no", but=but or None)
    return Answer(ident, "no")
