"""The server as it stands: everything that ``01`` puts together (policy, sandbox, undo, audit, commands, embedded ears)
behind real connections, with a scripted model and a voice that takes next to no time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from support.light import Light, light
from support.players import Throat
from support.scripted_model import ScriptedModel
from zero_one.app.services import House
from zero_one.config.settings import ApprovalSettings, HearSettings, ModelSettings, Settings, SpeakSettings
from zero_one.conversation.mailbox import safe_name


class Standing:
    """``server`` is the running server; ``folder(device)`` is where a conversation's code runs."""

    def __init__(self, house: House, server: Light, voice: Throat, home: Path) -> None:
        self.house, self.server, self.voice, self._home = house, server, voice, home

    def forget(self, device: str) -> Callable[[], None]:
        """What empties the history of a conversation."""
        return lambda: self.server.conversations.get(device).history.clear()

    def answerable(self, device: str) -> bool:
        """Whether its open question may be answered now."""
        question = self.server.conversations.get(device).questions.open
        return question is not None and not question.deaf

    def folder(self, device: str) -> Path:
        return self._home / "data" / "work" / safe_name(device)


@asynccontextmanager
async def standing(
    home: Path, monkeypatch: pytest.MonkeyPatch, model: ScriptedModel, *, approval: ApprovalSettings | None = None
) -> AsyncIterator[Standing]:
    """Serve from ``home`` until the block ends. Waits until all of it is warm."""
    monkeypatch.setenv("ZERO_ONE_HOME", str(home))
    settings = Settings(
        model=ModelSettings(name="openai/scripted", api_base=model.url, api_key="test-key-of-nobody"),
        hear=HearSettings(engine="pocketsphinx", download=False),
        speak=SpeakSettings(engine="espeak-ng", download=False),
        approval=approval or ApprovalSettings(),
    )
    house = House(settings, tell=lambda line: None)
    voice = Throat(ms_a_char=4)
    house.services.synthesizer, house.services.earcon = voice, b""
    try:
        async with light(house.services) as server:
            await house.open(server.conversations.announce)
            async with asyncio.timeout(300):
                while house.health()["status"] != "ready":  # noqa: ASYNC110  (engines warm in threads and processes)
                    await asyncio.sleep(0.05)
            yield Standing(house, server, voice, home)
    finally:
        await house.close()
