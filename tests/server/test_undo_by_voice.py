"""What the model's code did to files is taken back by a spoken command, through the whole server; all of it is in the
audit log, until it is to be forgotten."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from support import scripted_model
from support.light import Light, NewClient, device, light
from support.players import Ears, Throat, plain
from support.scripted_model import ScriptedModel, runs
from zero_one.app.past import ServerPast
from zero_one.commands.book import CommandBook
from zero_one.commands.known import Known
from zero_one.computer.hands import Hands
from zero_one.computer.terminal import Terminal
from zero_one.config.settings import ModelSettings, Settings
from zero_one.conversation import Services
from zero_one.interpreter.history import History
from zero_one.interpreter.loop import ModelInterpreter
from zero_one.interpreter.model import LiteLlm
from zero_one.protocol.events import Answer, Show, Typed
from zero_one.safety.audit import AuditLog
from zero_one.safety.trust import Trust, open_trust


class House:
    """The parts of a server that have to do with trust, around a scripted model."""

    def __init__(self, model: ScriptedModel, folder: Path) -> None:
        self.data = folder
        self.trust: Trust = open_trust(folder / "trust")
        self.past = ServerPast(self.trust, folder)
        settings = Settings(model=ModelSettings(name="openai/scripted", api_base=model.url, api_key="test"))
        hands = Hands()

        def interpreter(name: str, history: History) -> ModelInterpreter:
            terminal = Terminal(folder / "work" / name, hands)
            return ModelInterpreter(LiteLlm(settings.model), terminal, hands, history, settings, witness=self.trust)

        self.services = Services(
            Ears(takes_s=0.01),
            Throat(),
            plain,
            settings=settings,
            interpreter=interpreter,
            commands=CommandBook(hands, folder, here=Known(folder, frozenset()), past=self.past),
            folder=folder / "conversations",
            note=self.trust.journal.note,
        )

    def kinds(self) -> list[str]:
        return [entry.kind for entry in AuditLog(self.data / "trust" / "audit").entries()]


def said(client: NewClient) -> str:
    shown = [e.message for e in client.events if isinstance(e, Show) and e.message.role in ("assistant", "server")]
    return "\n".join(m.content for m in shown if isinstance(m.content, str))


async def agree(server: Light, client: NewClient, of: str = "d1", answer: str = "yes") -> str:
    """There is no sandbox here, so a change is asked about: yes, as soon as one may say so. The question."""
    event = await client.until(
        lambda e: (
            isinstance(e, Show) and e.message.type == "approval" and not e.message.end and e.message.content["own"]
        ),
        120,
    )
    assert isinstance(event, Show)
    asked = server.conversations.get(of).questions
    async with asyncio.timeout(60):
        while asked.open is not None and asked.open.deaf:  # noqa: ASYNC110 - time passes, nothing tells of it
            await asyncio.sleep(0.02)
    await client.send(Answer(str(event.message.id), answer))
    return str(event.message.content["question"])


def held(file: Path) -> tuple[str, int]:
    """What a file holds, and its mode."""
    return file.read_text(), file.stat().st_mode & 0o777


def everything(folder: Path) -> bytes:
    """All bytes kept below a folder but for the project's own."""
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file() and "work" not in file.parts)


@pytest.fixture
def letter(tmp_path: Path) -> Path:
    project = tmp_path / "work" / "d1"
    project.mkdir(parents=True)
    file = project / "letter.txt"
    file.write_text("dear")
    file.chmod(0o640)
    return file


async def test_undo_that_brings_the_file_back_and_forget_removes_the_words(tmp_path: Path, letter: Path) -> None:
    script = (runs("open('letter.txt', 'w').write('short')"), scripted_model.says("It is shortened."))
    with ScriptedModel(*script) as model:
        house = House(model, tmp_path)
        async with light(house.services) as server, device(server, "d1") as client:
            house.past.conversations = server.conversations
            await client.send(Typed("shorten the letter to my aunt"))
            await agree(server, client)
            await client.idle(300)
            assert held(letter) == ("short", 0o640)
            await client.send(Typed("undo that"))
            await client.idle(300)
            assert held(letter) == ("dear", 0o640)
            assert "put back    " in said(client)
            await house.trust.journal.flush()
            assert {"typed", "ran", "touched", "undone"} <= set(house.kinds())
            await client.send(Typed("forget the last hour"))
            await client.idle(300)
            assert "I forgot the last hour" in said(client)
        await house.trust.close()
    assert b"aunt" not in everything(tmp_path)
    assert AuditLog(tmp_path / "trust" / "audit").verify().sound


async def test_another_device_takes_back_what_this_one_asked_for_only_after_a_question(
    tmp_path: Path, letter: Path
) -> None:
    """Both are the owner's own. A no leaves it as it is; a device that may not administer is not even asked."""
    script = (runs("open('letter.txt', 'w').write('short')"), scripted_model.says("It is shortened."))
    with ScriptedModel(*script) as model:
        house = House(model, tmp_path)
        async with light(house.services) as server, device(server, "d1") as client, device(server, "d2") as other:
            house.past.conversations = server.conversations
            await client.send(Typed("shorten the letter"))
            await agree(server, client)
            await client.idle(300)
            for answer, then in (("no", "short"), ("yes", "dear")):
                await other.send(Typed("undo that"))
                assert "another device" in await agree(server, other, "d2", answer)
                await other.idle(300)
                assert held(letter) == (then, 0o640)
        await house.trust.close()
