"""Live captions in the terminal, by rich. What the server sends is text, never terminal commands."""

from __future__ import annotations

import sys
import unicodedata
from typing import TextIO

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from zero_one.protocol.lmc import Message
from zero_one_desktop.answers import Asked

_STATES = {
    "listening": "listening …",
    "thinking": "thinking …",
    "acting": "working …",
    "asking": "waiting for your answer",
    "speaking": "",
    "idle": "",
}
_CONSOLE_LINES = 40
_BAR = 20
_UNSEEN = frozenset({"Cc", "Cf", "Cs"})


class Screen:
    """Prints what is said and done, one event at a time."""

    def __init__(self, file: TextIO | None = None, *, quiet: bool = False) -> None:
        self._console = Console(file=file or sys.stdout, highlight=False, soft_wrap=True, quiet=quiet)
        self._open = ""  # the speaker whose line is not finished
        self._partial = False
        self._printed_lines = 0

    def note(self, text: str) -> None:
        """A remark of the client itself."""
        self._line(Text(plain(text), style="dim"))

    def trouble(self, text: str) -> None:
        self._line(Text(plain(text), style="bold red"))

    def state(self, name: str) -> None:
        """Shown only on a terminal, where the line is used again."""
        if self._console.is_terminal and not self._open and (shown := _STATES.get(name)):
            self._again(Text(shown, style="dim italic"))

    def message(self, message: Message) -> None:
        """One LMC message or chunk."""
        text = plain(message.content) if isinstance(message.content, str) else ""
        if message.type == "message" and message.role == "user":
            self._heard(text, partial=message.format == "partial")
        elif message.type == "message":
            self._chunk("01", text, message, "bold green")
        elif message.type == "code":
            self._chunk(message.format or "code", text, message, "cyan")
        elif message.type == "console":
            self._chunk("output", text, message, "dim")
        elif message.type == "error":
            self.trouble(text or "Something went wrong; the server did not say what.")
        elif message.type == "image" and (message.content or message.start):
            self.note("[an image]")
        elif message.type == "status" and text and text not in ("complete", "ready"):
            self.note(text)

    def question(self, asked: Asked) -> None:
        """An approval question, with everything that it is about."""
        body = Text(plain(asked.question), style="bold")
        for name, value in (("in", asked.cwd), ("because", asked.reason), ("risk", asked.risk.replace("_", " "))):
            if value:
                body.append(f"\n{name}: {plain(value)}", style="not bold")
        for effect in asked.effects:
            body.append(f"\n- {plain(effect)}", style="not bold")
        if asked.code:
            body.append(f"\n\n{asked.language}\n" if asked.language else "\n\n", style="dim not bold")
            body.append(plain(asked.code), style="cyan not bold")
        self._finish()
        title = "May I?" if asked.own else f"Asked at {plain(asked.device) or 'another device'}: may I?"
        self._console.print(Panel(body, title=Text(title), border_style="yellow"))
        self._console.print(Text(asked.prompt, style="yellow"))

    def rising(self, done: float) -> None:
        """How much of a hold is done, 0 to 1; only on a terminal, where the line is used again."""
        if self._console.is_terminal:
            full = round(done * _BAR)
            words = "let go now to agree" if done >= 1 else "hold on to agree, or speak"
            self._again(Text("█" * full + "░" * (_BAR - full) + f" {words}", style="yellow"))

    def remaining(self, seconds: int) -> None:
        """How long a question is still open."""
        self.note(f"{seconds} s left to answer.")

    def _heard(self, text: str, *, partial: bool) -> None:
        if not text:
            return
        shown = Text.assemble(("You: ", "bold"), text)
        if partial:
            if self._console.is_terminal:
                self._again(shown)
        else:
            self._line(shown)

    def _chunk(self, name: str, text: str, message: Message, style: str) -> None:
        """Streamed text goes on where it stopped; a message without flags, outside of a stream, is whole."""
        streamed = message.start or self._open == name
        if message.start or (text and self._open != name):
            self._finish()
            self._console.print(Text(f"{name}: ", style=style), end="")
            self._open, self._printed_lines = name, 0
        if text:
            self._printed_lines += text.count("\n")
            if name != "output" or self._printed_lines < _CONSOLE_LINES:
                self._console.print(Text(text), end="")
        if message.end or not streamed:
            self._finish()

    def _line(self, text: Text) -> None:
        self._finish()
        self._console.print(text)

    def _again(self, text: Text) -> None:
        """Overwrite the line that is shown for now."""
        self._finish_words()
        self._console.file.write("\r\x1b[2K")
        width = self._console.width - 1
        if len(text) > width:
            text = Text("…") + text[-(width - 1) :]
        self._console.print(text, end="")
        self._partial = True

    def _finish(self) -> None:
        if self._partial:
            self._console.file.write("\r\x1b[2K")
            self._partial = False
        self._finish_words()

    def _finish_words(self) -> None:
        if self._open:
            self._console.print()
            self._open = ""


def plain(text: str) -> str:
    """Text without control and direction characters: a web page or a model must not steer the terminal."""
    kept = (one for one in text.replace("\r\n", "\n") if one in "\n\t" or unicodedata.category(one) not in _UNSEEN)
    return "".join(kept)
