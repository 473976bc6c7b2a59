"""What a turn looks like in a terminal: the answer on standard output, everything else on standard error."""

from __future__ import annotations

import asyncio
import sys

from zero_one.protocol.events import Answer
from zero_one.protocol.lmc import Message
from zero_one_desktop.answers import Asked, Questions
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
        questions = Questions()
        asked = questions.show(message)
        assert asked is not None
        self._show(asked)
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            print("Nobody is at this terminal to agree: no.", file=sys.stderr)
            return Answer(asked.id, "no")
        print(printable(asked.how(button=False)), file=sys.stderr, flush=True)
        self._forget()
        while True:
            line = await self._line()
            given = questions.answer(line) if line is not None else Answer(asked.id, "no")
            if isinstance(given, Answer):
                return given
            if given:
                print(printable(given), file=sys.stderr, flush=True)

    def _show(self, asked: Asked) -> None:
        """Everything that the question is about."""
        whose = "" if asked.own else f" (asked at {asked.device or 'another device'})"
        print(f"\n{printable(asked.question + whose)}", file=sys.stderr)
        for name, value in (("in", asked.cwd), ("because", asked.reason), ("risk", asked.risk.replace("_", " "))):
            if value:
                print(f"  {name}: {printable(value)}", file=sys.stderr)
        for effect in asked.effects:
            print(f"  - {printable(effect)}", file=sys.stderr)
        if asked.code:
            print("\n".join(f"    {line}" for line in printable(asked.code).splitlines()), file=sys.stderr)

    async def _line(self) -> str | None:
        """The next line; None at the end of input."""
        if self._lines is None:
            self._lines = asyncio.Queue()
            # A thread that may be left behind reads: nobody has to press Enter for this program to end.
            read_lines(sys.stdin.fileno(), self._lines.put_nowait, self._put_end)
        return await self._lines.get()

    def _forget(self) -> None:
        """What was typed before a question answers nothing."""
        while self._lines is not None and not self._lines.empty():
            self._lines.get_nowait()

    def _put_end(self) -> None:
        if self._lines is not None:
            self._lines.put_nowait(None)
