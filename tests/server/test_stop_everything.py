"""The hard stop against the server as it stands: a model call, code that ignores signals, and what it left running."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import psutil
import pytest

from support.light import device
from support.scripted_model import ScriptedModel, hangs, runs, says
from support.standing import standing
from zero_one.config.settings import ApprovalSettings
from zero_one.protocol.events import Show, State, Stop, Typed

MARK = f"86399.{os.getpid()}"
"""Seconds that only our own processes sleep."""
CHILD = f"subprocess.Popen(['sleep', '{MARK}'], start_new_session=True)"
STUBBORN = f"""
import signal, subprocess, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
{CHILD}
print('begun', flush=True)
while True:
    try:
        time.sleep({MARK})
    except KeyboardInterrupt:
        pass
"""
BACKGROUND = f"(trap '' INT TERM; sleep {MARK}) & disown; nohup setsid sleep {MARK} >/dev/null 2>&1 & echo left"


def sleepers() -> list[psutil.Process]:
    return [p for p in psutil.process_iter(["cmdline", "status"]) if MARK in (p.info["cmdline"] or ())]


async def test_everything_is_really_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three rooms: one waits for the model, one runs code that ignores SIGINT and has a child in a session of its own,
    one has background jobs of a command that is long over. A fourth says stop everything."""
    script = (runs(BACKGROUND, "shell"), says("Left."), runs(STUBBORN), hangs())
    trusting = ApprovalSettings(auto_run=True)
    with ScriptedModel(*script) as model:
        async with (
            standing(tmp_path, monkeypatch, model, approval=trusting) as house,
            device(house.server, "jobs") as jobs,
            device(house.server, "code") as code,
            device(house.server, "model") as thinker,
            device(house.server, "hall") as hall,
        ):
            await jobs.send(Typed("start something"))
            await jobs.idle(300)
            await code.send(Typed("work"))
            await code.until(lambda e: isinstance(e, Show) and e.message.type == "console" and "begun" in str(e), 300)
            await thinker.send(Typed("think"))
            await thinker.until(lambda e: isinstance(e, State) and e.name == "thinking", 60)
            while len(model.requests) < 4:  # noqa: ASYNC110  (the model runs in a thread of its own)
                await asyncio.sleep(0.02)
            async with asyncio.timeout(60):
                while len(sleepers()) < 3:  # noqa: ASYNC110  (the jobs and the child; nobody tells when they run)
                    await asyncio.sleep(0.05)
            await hall.send(Stop(everything=True))
            for client in (code, thinker):
                await client.until(
                    lambda e: isinstance(e, Show) and e.message.type == "status" and e.message.content == "complete", 60
                )
            assert await asyncio.to_thread(model.hung_up.wait, 60), "the model call is cut off"
            async with asyncio.timeout(60):
                while sleepers():  # noqa: ASYNC110  (nobody tells when a process is gone)
                    await asyncio.sleep(0.05)
            for name in ("jobs", "code", "model"):
                conversation = house.server.conversations.get(name)
                assert not conversation._brain.working
                assert conversation.state in ("idle", "speaking")
            # And it can be waited for: nothing is left to stop.
            assert await house.server.conversations.stop_everything("the test") == []
            noted = await house.house.trust.journal.use(lambda log: [repr(entry) for entry in log.entries()])
            assert "stopped" in str(noted)
