"""The real server for other machines: TLS with a pin, pairing, revoking, the plain port and the end of a tunnel."""

from __future__ import annotations

import asyncio
import hashlib
import os
import ssl
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import connect

from support.light import ESP32_START, light
from support.players import Ears, Throat, plain
from support.strangers import closed, hello, near
from zero_one.conversation import Services
from zero_one.identity.certificate import own_certificate
from zero_one.identity.devices import DeviceBook
from zero_one.identity.pairing import PairingDesk
from zero_one.servers.entrance import Entrance
from zero_one.servers.listener import Server, listen
from zero_one.servers.plain import PlainDoor

SERVE = """
import asyncio
from zero_one.app.local import interruptible
from zero_one.app.serve import serve
from zero_one.config.settings import HearSettings, ServerSettings, Settings, SpeakSettings
from zero_one.servers.listener import listen
settings = Settings(
    server=ServerSettings(host="0.0.0.0", port=0, plain_port=0),
    hear=HearSettings(engine="pocketsphinx"),
    speak=SpeakSettings(engine="espeak-ng"),
)

async def main():
    outside = listen("127.0.0.1", 0)
    tunnel = outside.getsockname()[1]
    async with interruptible() as stop:
        await serve(
            settings, stop, ready=lambda port: print(port, tunnel, flush=True), outside=outside,
            tell=lambda line: print(line, flush=True),
        )

asyncio.run(main())
"""


@dataclass
class Process:
    port: int
    tunnel: int
    home: Path
    output: asyncio.StreamReader

    @property
    def identity(self) -> Path:
        return self.home / "data" / "identity"

    @property
    def book(self) -> DeviceBook:
        return DeviceBook(self.identity / "devices.json")

    async def says(self, words: str) -> str:
        """The next line that holds these words."""
        async with asyncio.timeout(100):
            while True:
                line = (await self.output.readline()).decode()
                assert line, f"the server ended before it said {words!r}"
                if words in line:
                    return line


@asynccontextmanager
async def serving(home: Path) -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SERVE,
        env={**os.environ, "ZERO_ONE_HOME": str(home), "HOME": str(home)},
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        port, tunnel = (await asyncio.wait_for(process.stdout.readline(), 100)).split()
        yield Process(int(port), int(tunnel), home, process.stdout)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def trusting(folder: Path) -> ssl.SSLContext:
    """A client that trusts this server's certificate and no other."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(folder / "certificate.pem")
    return context


@pytest.mark.timeout(240)
async def test_a_server_for_other_machines_speaks_tls_pairs_and_revokes(tmp_path: Path) -> None:
    """One process from the first pairing to the last revoking; this test is the other one that changes its lists."""
    async with serving(tmp_path) as server:
        context = trusting(server.identity)
        url = f"wss://localhost:{server.port}/"
        assert (server.identity / "key.pem").stat().st_mode & 0o077 == 0
        # Without TLS the port says nothing of use, not even its ping.
        async with httpx.AsyncClient(timeout=60) as bare:
            with pytest.raises(httpx.HTTPError):
                await bare.get(f"http://127.0.0.1:{server.port}/ping")

        # The certificate is the one whose fingerprint is shown, and that pairing tells.
        async with httpx.AsyncClient(verify=context, timeout=60) as client:
            base = f"https://localhost:{server.port}"
            assert (await client.get(f"{base}/ping")).text == "pong"
            code = PairingDesk(server.identity / "pairing.json").offer(now=time.time(), name="Phone")
            answer = await client.post(f"{base}/pair", json={"code": code, "name": "x", "kind": "phone"})
            given = answer.json()
            assert (await client.post(f"{base}/pair", json={"code": code})).status_code == 403
        async with connect(url, ssl=context, open_timeout=60) as socket:
            shown = socket.transport.get_extra_info("ssl_object").getpeercert(binary_form=True)
            assert hashlib.sha256(shown).hexdigest() == given["fingerprint"]
            assert (await hello(socket))["type"] == "hello", "our own programs need no key here either"
        await server.says("Phone is paired now")

        # The end of a tunnel: from this machine, of our own user, and still nobody without the key.
        async with connect(f"ws://127.0.0.1:{server.tunnel}/", open_timeout=60) as socket:
            assert (await hello(socket))["code"] == "not_paired"
        bearer = {"Authorization": f"Bearer {given['key']}"}
        outside = connect(f"ws://127.0.0.1:{server.tunnel}/", additional_headers=bearer, open_timeout=60)
        async with outside as socket:
            assert (await hello(socket))["type"] == "hello"

        # A first 01 is admitted while the server runs: its port opens, for it alone.
        old = server.book.admit_address("127.0.0.2", "Old echo", now=time.time())
        plain_port = int((await server.says("connect to port")).partition("port ")[2].split(",")[0])
        plain_url = f"ws://127.0.0.1:{plain_port}/"
        async with connect(plain_url, local_addr=("127.0.0.3", 0), open_timeout=60) as socket:
            await socket.send(ESP32_START)
            assert (await closed(socket))[0] == 4401
        first = await connect(plain_url, local_addr=("127.0.0.2", 0), origin="file://", open_timeout=60)
        await first.send(ESP32_START)

        async with first, connect(url, ssl=context, additional_headers=bearer, open_timeout=60) as socket:
            await hello(socket)
            server.book.revoke(given["device"])
            assert (await closed(socket))[0] == 4401
            server.book.revoke(old.id)
            assert (await closed(first))[0] == 4401
        # The audit log knows it: it is written without making anybody wait.
        async with asyncio.timeout(60):
            while not any(b"revoked" in file.read_bytes() for file in files(tmp_path / "data" / "trust")):  # noqa: ASYNC110
                await asyncio.sleep(0.05)


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*.jsonl") if path.is_file()]


async def test_a_client_with_another_pin_says_nothing_at_all(tmp_path: Path) -> None:
    """Somebody in between with a certificate of his own."""
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    own_certificate(ours)
    context = own_certificate(theirs).context()
    async with light(Services(Ears(), Throat(), plain), near=near, entrance=Entrance(tls=context)) as server:
        with pytest.raises(ssl.SSLCertVerificationError):
            async with connect(f"wss://localhost:{server.port}/", ssl=trusting(ours)):
                pass
        assert server.noted == []


async def test_the_plain_port_opens_when_there_is_somebody_for_it(tmp_path: Path) -> None:
    told: list[str] = []
    book = DeviceBook(tmp_path / "devices.json")
    async with light(Services(Ears(), Throat(), plain)) as one:
        assert isinstance(one.server, Server)
        door = PlainDoor(book, one.server, "127.0.0.1", 0, told.append)
        door.look()
        assert (door.port, told) == (None, [])
        book.admit_address("192.0.2.7", "Old echo", now=1.0)
        door.look()
        assert door.port is not None
        reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
        writer.write(b"GET /ping HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert (await reader.read()).endswith(b"pong")
        writer.close()
        with listen("127.0.0.1", 0) as taken:
            blocked = PlainDoor(book, one.server, "127.0.0.1", taken.getsockname()[1], told.append)
            blocked.look()
            assert blocked.port is None
            assert "server.plain_port" in told[-1]
