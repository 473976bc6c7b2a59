"""The ``01`` command. It only parses and hands on; nothing heavy is imported before it is known to be needed."""

from __future__ import annotations


def main() -> int:
    """Entry point of the ``01`` command. Returns the exit status."""
    raise SystemExit("01: the command line is being built")
