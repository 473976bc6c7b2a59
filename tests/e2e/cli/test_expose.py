"""``--expose``: through a real SSH server on an ephemeral port, and through a program that stands in for ngrok."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import socket
import stat
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import psutil
import pytest

from support.needs import need
from support.ports import deaf_port, quiet_port
from zero_one.app import expose, whereabouts
from zero_one.app.expose import ExposeError, Exposure, Trouble, Up
from zero_one.app.expose_ngrok import Ngrok
from zero_one.app.expose_ssh import Ssh
from zero_one.app.local import running
from zero_one.app.pair import offered
from zero_one.app.presence import Presence
from zero_one.app.whereabouts import Whereabouts
from zero_one.config.settings import ServerSettings, Settings
from zero_one_desktop.invitation import read_invitation
from zero_one_desktop.keys import Keys
from zero_one_desktop.pairing import Pairing
from zero_one_desktop.pin import shown_certificate
from zero_one_desktop.target import find_target


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ZERO_ONE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(expose, "FIRST_PAUSE_S", 0.05)
    return tmp_path


class Sshd:
    """A machine with a public address, as far as ssh can tell."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port, self.open_port = folder, quiet_port(), quiet_port()
        self.process: asyncio.subprocess.Process | None = None
        folder.mkdir()

    async def start(self) -> None:
        program = shutil.which("sshd") or "/usr/sbin/sshd"
        for name in ("host", "user"):
            if not (self.folder / name).exists():
                make = await asyncio.create_subprocess_exec(
                    "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.folder / name)
                )
                assert await make.wait() == 0
        shutil.copy(self.folder / "user.pub", self.folder / "authorized")
        host_key = (self.folder / "host.pub").read_text()
        (self.folder / "known").write_text(f"[127.0.0.1]:{self.port} {host_key}")
        (self.folder / "sshd_config").write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {self.folder}/host\nPidFile none\nUsePAM no\n"
            f"AuthorizedKeysFile {self.folder}/authorized\nStrictModes no\nPasswordAuthentication no\n"
            "PermitRootLogin yes\nGatewayPorts clientspecified\n"
        )
        (self.folder / "ssh_config").write_text(
            f"Host *\n IdentityFile {self.folder}/user\n IdentitiesOnly yes\n UserKnownHostsFile {self.folder}/known\n"
        )
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)  # root's sshd wants it; where systemd does not run nobody makes it
        with (self.folder / "log").open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                program, "-D", "-e", "-f", str(self.folder / "sshd_config"), stdout=log, stderr=log
            )
        async with asyncio.timeout(60):
            while not await asyncio.to_thread(answers, self.port):  # it tells nobody that it listens
                assert self.process.returncode is None, (self.folder / "log").read_text(errors="replace")
                await asyncio.sleep(0.05)

    async def stop(self) -> None:
        """With every connection it has."""
        if self.process is not None and self.process.returncode is None:
            # Any of them may have ended by itself.
            children: list[psutil.Process] = []
            with contextlib.suppress(psutil.NoSuchProcess):
                children = psutil.Process(self.process.pid).children(recursive=True)
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
            for child in children:
                with contextlib.suppress(psutil.NoSuchProcess):
                    child.kill()
            await self.process.wait()

    def tunnel(self) -> Ssh:
        return Ssh(f"127.0.0.1:{self.port}", self.open_port, ("-F", str(self.folder / "ssh_config")))


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 10).close()
    except OSError:
        return False
    return True


@pytest.fixture
async def sshd(tmp_path: Path) -> AsyncIterator[Sshd]:
    os.environ["PATH"] += os.pathsep + "/usr/sbin"
    need("ssh", "sshd", "ssh-keygen")
    there = Sshd(tmp_path / "sshd")
    await there.start()
    yield there
    await there.stop()


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(90):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_a_server_on_loopback_is_reached_through_ones_own_machine_with_tls_from_end_to_end(
    home: Path, sshd: Sshd, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole way: tunnel, pairing through it, pin, key; nobody is the owner there; it ends with the server."""
    monkeypatch.setattr("zero_one.app.presence.make_tunnel", lambda server: sshd.tunnel())
    settings = Settings(server=ServerSettings(port=0, announce=False))
    told: list[str] = []
    presence = Presence(settings, told.append, expose=True)
    spoken: list[str] = []

    async def announce(device: str, text: str) -> None:
        spoken.append(text)

    async with running(settings, presence) as (where, _):
        presence.announce = announce
        assert where.ws.startswith("ws://127.0.0.1:"), "near by, nothing changes"
        async with presence.shown(int(where.ws.rstrip("/").rpartition(":")[2])):
            await until(lambda: presence._where is not None and presence._where.tunnel)
            found = presence._where
            assert found is not None
            assert found.tunnel == f"127.0.0.1:{sshd.open_port}"
            assert await asyncio.to_thread(shown_certificate, "127.0.0.1", sshd.open_port, 60) == found.tunnel_pin
            await until(lambda: spoken)
            assert "can now be reached from the internet" in told[0]
            assert spoken == [
                "Note: this computer can now be reached from the internet. Only paired devices are let in."
            ]
            async with offered(found) as offer:
                invitation = read_invitation(offer.uri)
                assert invitation.hosts == (found.tunnel,)
                assert invitation.fingerprint == found.tunnel_pin
                keys = Keys(home / "away", None)
                await asyncio.to_thread(
                    Pairing(keys, lambda _: None, lambda _: None).pair, offer.uri, name="Phone away"
                )
            target = find_target("", keys)
            assert target.urls == (f"wss://{found.tunnel}/",)
            assert await hello(target.urls[0], target.context(target.urls[0]), target.token) == "welcome"
            assert await hello(target.urls[0], target.context(target.urls[0]), None) == "refused"
    # The tunnel ends with the server; the machine at its far end notices a moment later.
    await until(lambda: not answers(sshd.open_port))
    assert not (home / "home" / "data" / "server.json").exists()


async def hello(url: str, context: object, token: str | None) -> str:
    """Greet as a level 1 device from the far end."""
    from websockets.asyncio.client import connect
    from websockets.exceptions import ConnectionClosed, InvalidStatus

    headers = {"Authorization": f"Bearer {token}"} if token else None
    try:
        async with connect(url, ssl=context, additional_headers=headers, proxy=None) as link:  # type: ignore[arg-type]
            await link.send(json.dumps({"type": "hello", "protocol": 1, "device": "d"}))
            first = json.loads(await asyncio.wait_for(link.recv(), 60))
            return "welcome" if first["type"] == "hello" else "refused"
    except (ConnectionClosed, InvalidStatus):
        return "refused"


async def test_a_tunnel_that_dies_is_told_and_comes_back(home: Path, sshd: Sshd) -> None:
    ups: list[Up] = []
    downs: list[str] = []

    async def on_up(up: Up) -> None:
        ups.append(up)

    async def on_down(text: str) -> None:
        downs.append(text)

    task = asyncio.create_task(Exposure(sshd.tunnel(), deaf_port(), on_up=on_up, on_down=on_down).run())
    try:
        await until(lambda: ups)
        await sshd.stop()
        await until(lambda: downs)
        assert "is tried again" in downs[0]
        await sshd.start()
        await until(lambda: len(ups) > 1)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await until(lambda: not answers(sshd.open_port))


async def test_an_unknown_machine_and_a_refused_key_end_it_with_words(home: Path, sshd: Sshd) -> None:
    async def nothing(_: object) -> None:
        raise AssertionError("it must not come up")

    def attempt() -> Exposure:
        return Exposure(sshd.tunnel(), deaf_port(), on_up=nothing, on_down=nothing)

    (sshd.folder / "authorized").write_text("")
    with pytest.raises(ExposeError, match="key was not accepted"):
        await attempt().run()
    (sshd.folder / "known").write_text("")
    with pytest.raises(ExposeError, match="not known to ssh"):
        await attempt().run()


# --- ngrok: its arguments and its life, by a stand-in


FAKE = """#!{python}
import json, os, sys, time
with open({record!r}, "a") as file:
    print(json.dumps({{"pid": os.getpid(), "arguments": sys.argv[1:]}}), file=file)
say = lambda **row: print(json.dumps(row), flush=True)
mode = open({mode!r}).read()
say(lvl="info", msg="no configuration paths supplied")
if mode == "unknown":
    say(lvl="eror", msg="failed to auth", err="The authtoken is not known.\\r\\n\\r\\nERR_NGROK_105\\r\\n")
    print("ERROR:  ERR_NGROK_105", flush=True)
    sys.exit(1)
url = "http://plain.example" if mode == "plain" else "https://f00.ngrok-free.app"
say(addr="http://127.0.0.1:1", lvl="info", msg="started tunnel", name="command_line", obj="tunnels", url=url)
if mode == "dies":
    sys.exit(1)
time.sleep(600)
"""


class FakeNgrok:
    def __init__(self, folder: Path) -> None:
        self.mode, self.record = folder / "mode", folder / "record"
        program = folder / "ngrok"
        program.write_text(FAKE.format(python=sys.executable, record=str(self.record), mode=str(self.mode)))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)

    @property
    def starts(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.record.read_text().splitlines()] if self.record.exists() else []


@pytest.fixture
def ngrok(home: Path, monkeypatch: pytest.MonkeyPatch) -> FakeNgrok:
    folder = home / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    return FakeNgrok(folder)


async def lived(tunnel: Ngrok) -> tuple[list[Up], list[str], str]:
    """Until it came up and went down twice, or was given up: what was told, and why it ended."""
    ups: list[Up] = []
    downs: list[str] = []
    enough = asyncio.Event()

    async def on_up(up: Up) -> None:
        ups.append(up)

    async def on_down(text: str) -> None:
        downs.append(text)
        if len(downs) >= 2:
            enough.set()

    task = asyncio.create_task(Exposure(tunnel, 4321, on_up=on_up, on_down=on_down).run())
    waiting = asyncio.create_task(enough.wait())
    await asyncio.wait({task, waiting}, timeout=90, return_when=asyncio.FIRST_COMPLETED)
    for one in (task, waiting):
        one.cancel()
    outcome, _ = await asyncio.gather(task, waiting, return_exceptions=True)
    return ups, downs, str(outcome) if isinstance(outcome, ExposeError) else ""


async def test_ngrok_is_started_uninspected_and_ended(ngrok: FakeNgrok) -> None:
    """Its inspection pages would show every key to every user of this machine; its own key is no argument."""
    ngrok.mode.write_text("well")
    ups: list[Up] = []

    async def on_up(up: Up) -> None:
        ups.append(up)

    async def on_down(text: str) -> None:
        raise AssertionError(text)

    task = asyncio.create_task(Exposure(Ngrok("box.example"), 4321, on_up=on_up, on_down=on_down).run())
    await until(lambda: ups)
    assert ups == [Up(public="https://f00.ngrok-free.app")]
    (start,) = ngrok.starts
    arguments = start["arguments"]
    assert isinstance(arguments, list)
    assert arguments[:2] == ["http", "http://127.0.0.1:4321"]
    assert "--inspect=false" in arguments
    assert arguments[arguments.index("--url") + 1] == "https://box.example"
    assert not any("token" in argument for argument in arguments)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    with pytest.raises(ProcessLookupError):
        os.kill(int(str(start["pid"])), 0)


async def test_ngrok_is_started_again_when_it_dies_and_given_up_where_that_cannot_help(ngrok: FakeNgrok) -> None:
    ngrok.mode.write_text("dies")
    ups, downs, _ = await lived(Ngrok())
    assert len(ups) >= 2
    assert "tried again" in downs[0]
    ngrok.mode.write_text("unknown")
    ups, _, why = await lived(Ngrok())
    assert (ups, "ERR_NGROK_105" in why) == ([], True)
    ngrok.mode.write_text("plain")
    ups, _, why = await lived(Ngrok())
    assert (ups, "not TLS" in why) == ([], True)


@pytest.mark.parametrize(
    "to", ["", "-oProxyCommand=x", "me@-oProxyCommand=x", "a b@", "me@box:notaport", "me:pw@box", "box/x"]
)
def test_where_to_go_can_never_become_an_option(to: str) -> None:
    with pytest.raises(ExposeError):
        Ssh(to, 10101)


def test_ssh_asks_nobody_and_trusts_no_new_machine() -> None:
    need("ssh")
    command = Ssh("me@box.example:2222", 443).command(4321)
    for setting in ("BatchMode=yes", "StrictHostKeyChecking=yes", "ExitOnForwardFailure=yes"):
        assert command[command.index(setting) - 1] == "-o"
    assert command[command.index("-R") + 1] == "*:443:127.0.0.1:4321"
    assert command[-6:] == ["-p", "2222", "-l", "me", "--", "box.example"]
    assert Ssh("box", 1).read("debug1: Authentications that can continue: publickey") is None
    trouble = Ssh("box", 1).read("me@box: Permission denied (publickey).")
    assert isinstance(trouble, Trouble)
    assert trouble.final


def test_only_a_pinned_or_a_public_address_is_given_to_devices() -> None:
    """A server without TLS near by, behind a tunnel with it: its plain addresses are not named beside a fingerprint."""
    where = Whereabouts(1, "127.0.0.1", 10101, "", "", "box.example:443", "ab" * 32)
    assert where.hosts() == ["box.example:443"]
    assert where.shown_pin == "ab" * 32
    assert not where.near_only
    assert whereabouts.Whereabouts(1, "127.0.0.1", 10101).near_only
