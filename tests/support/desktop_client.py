"""The desktop client as a process of its own, on a desktop of ``support.desktop``."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from support.desktop import Pulse


@contextlib.asynccontextmanager
async def desktop_client(server_url: str, pulse: Pulse, display: str, home: Path, *more: str) -> AsyncIterator[Path]:
    """A client process that is connected and listens; gives the file with what it prints."""
    log = home / "client.log"
    env = {**pulse.env, "DISPLAY": display, "ZERO_ONE_HOME": str(home), "XDG_SESSION_TYPE": "x11", "COLUMNS": "200"}
    env.pop("WAYLAND_DISPLAY", None)
    with log.open("wb") as out:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "zero_one_desktop", "--server-url", server_url, "--hotkey", "<f9>", *more,
            env=env, stdin=asyncio.subprocess.DEVNULL, stdout=out, stderr=out,
        )  # fmt: skip
    try:
        async with asyncio.timeout(90):
            # Only the process itself knows when its hotkey is watched; it says so.
            while b"to talk" not in log.read_bytes() or not await asyncio.to_thread(pulse.recorded_by, process.pid):
                assert process.returncode is None, read(log)
                await asyncio.sleep(0.05)
        yield log
    except BaseException as failure:
        failure.add_note(f"The client printed:\n{read(log)}")
        raise
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.wait()


def read(log: Path) -> str:
    """What a process has written down so far, be it in the middle of a character."""
    return log.read_text("utf-8", errors="replace")
