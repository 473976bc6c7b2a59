"""What a turn looks like in a terminal: the answer on standard output, everything else on standard error."""

from __future__ import annotations

import asyncio
import sys

from zero_one.protocol.events import Answer
from zero_one.protocol.lmc import Message


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


async def ask_on_terminal(message: Message) -> Answer:
    """Put an approval question to whoever sits here. No, where nobody does."""
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
    said = (await asyncio.to_thread(sys.stdin.readline)).strip()
    return answer(ident, said, deliberate=destroys)


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
