"""Whether a name is that of a program that the tables know."""

from __future__ import annotations


def is_known(name: str) -> bool:
    from zero_one.safety.risk.programs import TABLE  # the tables are made of modules that ask this

    return name.rsplit("/", 1)[-1] in TABLE
