"""Typed lines from standard input, a terminal or not."""

from __future__ import annotations

import asyncio
import codecs
import os
import sys
import threading
from collections.abc import Callable


def readable_stdin() -> int | None:
    """The file descriptor to read, or None where reading would fail or stop us (a background job of a terminal)."""
    try:
        descriptor = sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):
        return None
    if os.isatty(descriptor) and hasattr(os, "tcgetpgrp"):
        try:
            if os.tcgetpgrp(descriptor) != os.getpgrp():
                return None
        except OSError:
            return None
    return descriptor


def read_lines(descriptor: int, deliver: Callable[[str], None], ended: Callable[[], None]) -> None:
    """Call ``deliver`` on this event loop with each line, and ``ended`` at the end of the file.

    A thread reads: files, pipes, terminals and Windows consoles all allow that. It is a daemon and uses ``os.read``, so
    that a line nobody types never holds up the end of the program.
    """
    loop = asyncio.get_running_loop()

    def tell(call: Callable[[], None]) -> None:
        try:
            loop.call_soon_threadsafe(call)
        except RuntimeError:
            return  # the loop is closed: nobody listens any more

    def work() -> None:
        decoder, text = codecs.getincrementaldecoder("utf-8")("replace"), ""
        while True:
            try:
                data = os.read(descriptor, 4096)
            except OSError:
                data = b""
            text += decoder.decode(data, final=not data)
            *lines, text = text.split("\n")
            if not data and text:
                lines, text = [*lines, text], ""
            for line in lines:
                tell(lambda line=line: deliver(line.rstrip("\r")))  # type: ignore[misc]
            if not data:
                tell(ended)
                return

    threading.Thread(target=work, name="typed lines", daemon=True).start()
