"""``POST /pair``: one use, five minutes, no guessing, from no strange page; and what it gives works at once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from support.light import Light, light
from support.players import Ears, Throat, plain
from support.strangers import ELSEWHERE, hello, link, near, raw
from zero_one.conversation import Services
from zero_one.identity.pairing import LIFETIME_S, MOST_TRIES, PairingDesk
from zero_one.servers import pair as pairing
from zero_one.servers.entrance import Entrance

NOW = 1_000_000.0


@asynccontextmanager
async def house(**how: Any) -> AsyncIterator[Light]:
    async with light(Services(Ears(), Throat(), plain), near=near, **how) as server:
        yield server


def offer(server: Light, **how: Any) -> str:
    """A code, as another process makes it."""
    import time

    assert server.desk is not None
    return PairingDesk(server.desk._path).offer(now=how.pop("now", time.time()), **how)


def wrong(code: str, n: int = 0) -> str:
    """A code that is not this one."""
    return f"{(int(code.replace(' ', '')) + 1 + n) % 10**8:08}"


async def post(server: Light, body: Any, *, at: str = ELSEWHERE, more: str = "", kind: str = "application/json") -> Any:
    """(status, JSON) of the answer."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = f"POST /pair HTTP/1.1\nHost: 127.0.0.1:{server.port}\nConnection: close\nContent-Type: {kind}"
    status, text = await raw(server.port, f"{head}\nContent-Length: {len(data)}{more}", at=at, body=data)
    return status, json.loads(text.partition("\r\n\r\n")[2] or "{}")


@pytest.mark.parametrize("at", [ELSEWHERE, "127.0.0.1"])
async def test_a_code_becomes_a_key_that_opens_and_only_once(at: str) -> None:
    async with house(fingerprint="ab" * 32) as server:
        code = offer(server)
        status, given = await post(server, {"code": code, "name": "Phone", "kind": "phone"}, at=at)
        assert status == 200
        assert given["scopes"] == ["approve", "captions", "speak"]
        assert given["fingerprint"] == "ab" * 32
        assert given["server"]
        async with link(server, key=given["key"]) as socket:
            assert (await hello(socket))["type"] == "hello"
        paired = next((d, details) for kind, d, details in server.noted if kind == "paired")
        assert paired[0] == f"paired-{given['device']}"
        assert paired[1]["name"] == "Phone"
        # The same code again, from another: it is worth nothing now.
        status, no = await post(server, {"code": code, "name": "Thief"}, at="127.0.0.3")
        assert status == 403
        assert "01 pair" in no["error"]
        assert server.door is not None
        assert [device.name for device in server.door.book] == ["Phone"]


async def test_what_the_owner_decided_about_the_device_counts() -> None:
    async with house() as server:
        code = offer(server, name="Kitchen", scopes={"speak"})
        _, given = await post(server, {"code": code, "name": "I am the owner"})
        assert (given["name"], given["scopes"]) == ("Kitchen", ["speak"])


async def test_a_code_ends_with_its_time() -> None:
    import time

    async with house() as server:
        code = offer(server, now=time.time() - LIFETIME_S - 1)
        assert (await post(server, {"code": code}))[0] == 403


async def test_guessing_is_locked_out_and_every_answer_is_the_same() -> None:
    """One address gets fewer guesses than void a code, so a stranger cannot even take the owner's code away."""
    async with house() as server:
        code = offer(server)
        near_miss = code[:-1] + str((int(code[-1]) + 1) % 10)
        answers = [await post(server, {"code": guess}) for guess in (near_miss, wrong(code, 7), "0", "x")]
        assert {(status, no["error"]) for status, no in answers} == {(403, answers[0][1]["error"])}
        assert (await post(server, {"code": code}))[0] == 429, "after too many guesses not even the right one counts"
        assert pairing._EACH < MOST_TRIES
        assert (await post(server, {"code": code}, at="127.0.0.3"))[0] == 200
        assert any("wrong code" in line and ELSEWHERE in line for line in server.told)


async def test_many_strangers_together_void_a_code_and_never_guess_it() -> None:
    async with house() as server:
        code = offer(server)
        for n in range(MOST_TRIES):
            assert (await post(server, {"code": wrong(code, n)}, at=f"127.0.1.{n + 1}"))[0] == 403
        status, no = await post(server, {"code": code}, at="127.0.2.1")
        assert status == 403
        assert "Run 01 pair again" in no["error"]


async def test_guesses_at_the_same_moment_buy_no_try_more() -> None:
    """Twelve addresses guess at once; of all of them at most five are looked at."""
    async with house() as server:
        code = offer(server)
        answers = await asyncio.gather(
            *(post(server, {"code": wrong(code, n)}, at=f"127.0.1.{n + 1}") for n in range(12))
        )
        assert {status for status, _ in answers} <= {403, 503}
        assert server.desk is not None
        tried = json.loads(server.desk._path.read_text())["tries"]
        looked_at = sum("not right" in no["error"] for _, no in answers)
        assert looked_at == tried <= MOST_TRIES


async def test_behind_a_tunnel_all_guesses_count_together() -> None:
    async with house(entrance=Entrance(outside=True)) as server:
        code = offer(server)
        for n in range(pairing._EACH):
            assert (await post(server, {"code": wrong(code, n)}, at=f"127.0.1.{n + 1}"))[0] == 403
        assert (await post(server, {"code": code}, at="127.0.3.1"))[0] == 429


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"", 400), (b"{", 400), (b"[]", 400), (b"[" * 4000, 400), ({}, 400), ({"code": 12345678}, 400),
     ({"code": None}, 400), ({"code": "1", "name": ["x"]}, 400), ({"code": "1", "kind": 5}, 400),
     ({"code": "9" * 129}, 400), (b'{"code": "' + b"1" * 8000 + b'"}', 413), (b"\xff\xfe\x00", 400)],
)  # fmt: skip
async def test_what_is_no_request_to_pair_is_refused_and_costs_no_try(body: Any, status: int) -> None:
    async with house() as server:
        code = offer(server)
        assert (await post(server, body))[0] == status
        assert (await post(server, {"code": code}))[0] == 200


async def test_no_form_of_a_page_is_a_request_to_pair() -> None:
    """A form can be sent across sites without asking; JSON cannot."""
    async with house() as server:
        code = offer(server)
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            assert (await post(server, {"code": code}, kind=kind))[0] == 415
        assert (await post(server, {"code": code}, more="\nOrigin: https://evil.example"))[0] == 403
        assert (await post(server, {"code": code}, more="\nOrigin: null"))[0] == 403
        assert (await post(server, {"code": code}, more="\nSec-Fetch-Site: cross-site"))[0] == 403
        own = f"\nOrigin: http://127.0.0.1:{server.port}"
        assert (await post(server, {"code": code}, more=own))[0] == 200


async def test_a_name_cannot_write_on_the_owners_terminal() -> None:
    async with house() as server:
        code = offer(server)
        _, given = await post(server, {"code": code, "name": "\x1b[2J\x07Phone\n01: all is well\u202e"})
        line = next(line for line in server.told if "is paired now" in line)
        assert line.isprintable()
        assert given["name"].isprintable()
        assert len(given["name"]) <= 60


async def test_a_body_that_never_comes_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairing, "_READ_S", 0.2)
    async with house() as server:
        head = f"POST /pair HTTP/1.1\nHost: 127.0.0.1:{server.port}\nConnection: close\nContent-Type: application/json"
        status, _ = await raw(server.port, f"{head}\nContent-Length: 100", body=b'{"code"')
        assert status == 408
