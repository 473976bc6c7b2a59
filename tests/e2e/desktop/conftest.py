"""One display and one sound server for all tests of the desktop client."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.desktop import Pulse, pulse_server, xvfb_display


@pytest.fixture(scope="package")
def display() -> Iterator[str]:
    with xvfb_display() as name:
        yield name


@pytest.fixture(scope="package")
def pulse() -> Iterator[Pulse]:
    with pulse_server() as server:
        yield server
