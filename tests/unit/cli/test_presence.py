"""What a server tells others of itself: mDNS, a QR code that scans, and the words of ``01 devices`` and ``01 pair``."""

from __future__ import annotations

import asyncio
import io
import json
import time
from pathlib import Path
from typing import Any

import pytest

from zero_one import cli
from zero_one.app import devices, pair, qr, trust, whereabouts
from zero_one.app.announce import SERVICE, Notice, announced, computer_name
from zero_one.app.whereabouts import Whereabouts
from zero_one.identity.devices import Device
from zero_one_desktop.invitation import read_invitation

PIN = "ab" * 32
WHERE = Whereabouts(1, "192.168.1.5", 10101, PIN)


def run(*arguments: str) -> int:
    try:
        return cli.main(list(arguments))
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else 1


# --- mDNS


async def test_a_server_is_found_in_the_local_network_and_says_nothing_private() -> None:
    """By a real browser over real multicast on loopback: name, port, level, TLS, a prefix; and goodbye at the end."""
    from zeroconf import ServiceStateChange
    from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

    notice = Notice(f"box-{time.monotonic_ns() % 100_000}", 10101, ("127.0.0.1",), PIN)
    whole = f"{notice.name}.{SERVICE}"
    seen: asyncio.Queue[ServiceStateChange] = asyncio.Queue()

    def handler(zeroconf: Any, service_type: str, name: str, state_change: ServiceStateChange) -> None:
        if name == whole:
            seen.put_nowait(state_change)

    told: list[str] = []
    listener = AsyncZeroconf(interfaces=["127.0.0.1"])
    browser = AsyncServiceBrowser(listener.zeroconf, SERVICE, handlers=[handler])
    try:
        async with announced(notice, interfaces=["127.0.0.1"], tell=told.append):
            assert await asyncio.wait_for(seen.get(), 60) is ServiceStateChange.Added
            info = AsyncServiceInfo(SERVICE, whole)
            assert await info.async_request(listener.zeroconf, 60_000)
            assert info.port == 10101
            assert info.properties == {b"protocol": b"1", b"tls": b"1", b"fp": PIN[:16].encode()}
        async with asyncio.timeout(60):
            while await seen.get() is not ServiceStateChange.Removed:
                pass
    finally:
        await browser.async_cancel()
        await listener.async_close()
    assert told == []


async def test_a_network_that_cannot_be_told_is_no_reason_not_to_serve() -> None:
    told: list[str] = []
    async with announced(Notice("box", 1, ()), interfaces=["192.0.2.77"], tell=told.append):
        pass
    assert "not announced" in told[0]


def test_a_machine_named_after_its_user_is_not_announced_by_that_name() -> None:
    assert computer_name("annas-laptop.lan", "anna") == "zero-one"
    assert computer_name("Box_7.lan", "anna") == "Box7"
    assert computer_name("", "anna") == "zero-one"


# --- the QR code


class Tty(io.StringIO):
    encoding = "utf-8"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True


def test_the_code_is_drawn_module_for_module_with_a_quiet_zone() -> None:
    """Two modules a character; colours of its own, so that it is dark on light on every terminal."""
    modules = qr.modules("zero-one://pair?host=192.168.1.5&port=10101&code=48210937&fp=" + PIN)
    lines = [
        line.removeprefix("\x1b[38;5;16;48;5;231m").removesuffix("\x1b[0m") for line in qr.drawn("x", colours=True)
    ]
    assert all(len(line) == len(lines[0]) for line in lines)
    assert not any(any(row) for row in modules[: qr.QUIET_ZONE] + modules[-qr.QUIET_ZONE :])
    assert not any(row[at] for row in modules for at in (*range(qr.QUIET_ZONE), *range(-qr.QUIET_ZONE, 0)))
    halves = {" ": (0, 0), "▀": (1, 0), "▄": (0, 1), "█": (1, 1)}
    small = qr.modules("x")
    read = [[bool(halves[one][half]) for one in line] for line in lines for half in (0, 1)]
    assert read[: len(small)] == small
    plain = [[not halves[one][half] for one in line] for line in qr.drawn("x", colours=False) for half in (0, 1)]
    assert plain[: len(small)] == small, "without colours the ink is the light part"
    assert len(modules) // 2 <= 34, "it fits a usual terminal"


def test_it_is_drawn_only_where_it_can_be_scanned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert qr.show("x", Tty())
    assert not qr.show("x", io.StringIO())
    monkeypatch.setenv("COLUMNS", "20")
    assert not qr.show("x", Tty())


# --- pairing and its words


async def test_what_01_pair_shows_and_says(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code in three forms; then the device, or why there is none. No key anywhere."""
    lines: list[str] = []
    async with pair.offered(WHERE, name="Tablet", scopes=frozenset({"speak"})) as offer:
        pair.present(offer, WHERE, lines.append)
        shown = "\n".join(lines)
        assert read_invitation(offer.uri).code == offer.code.replace(" ", "")
        assert f"Code: {offer.code}    at 192.168.1.5:10101" in shown
        assert shown.count("abab abab") >= 2
        watching = asyncio.create_task(pair.watch(offer))
        terms = trust.desk().redeem(offer.code, now=time.time())
        _, key = trust.devices().admit(terms.name, "phone", now=time.time(), scopes=terms.scopes)
        outcome = await asyncio.wait_for(watching, 60)
        assert isinstance(outcome, Device)
        assert (outcome.name, outcome.scopes) == ("Tablet", frozenset({"speak"}))
        assert key not in shown + pair.paired(outcome)
    assert trust.desk().state(now=time.time()) == "none"


async def test_a_code_that_was_guessed_at_or_has_run_out_says_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with pair.offered(WHERE) as offer:
        wrong = "00000000" if offer.code != "0000 0000" else "11111111"
        for _ in range(5):
            with pytest.raises(Exception, match="not right"):
                trust.desk().redeem(wrong, now=time.time())
        assert "wrong ones were tried too often" in str(await pair.watch(offer))
    now = time.time()
    async with pair.offered(WHERE) as offer:
        monkeypatch.setattr("zero_one.app.pair.time.time", lambda: now + 400)
        assert "run out" in str(await pair.watch(offer))


async def test_near_by_only_and_without_tls_are_said_plainly(home: Path) -> None:
    for where, words in (
        (Whereabouts(1, "127.0.0.1", 10101), "01 --server --server-host 0.0.0.0"),
        (Whereabouts(1, "192.168.1.5", 10101), "TLS is off"),
    ):
        lines: list[str] = []
        async with pair.offered(where) as offer:
            pair.present(offer, where, lines.append)
        assert words in "\n".join(lines)


def test_where_no_server_runs_pairing_says_how_to_start_one(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whereabouts.note(Whereabouts(2**22 - 3, "127.0.0.1", 9))
    assert run("pair") == 1
    assert "no server of yours runs" in capsys.readouterr().err
    assert run("pair", "--scopes", "speek") == 2
    assert "Did you mean `speak`" in capsys.readouterr().err


# --- 01 devices


def test_devices_are_listed_renamed_limited_and_revoked(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    book = trust.devices()
    phone, key = book.admit("Phone", "phone", now=time.time())
    book.seen(phone.id, now=time.time() - 7_300)
    assert run("devices") == 0
    out = capsys.readouterr().out
    assert "2 hours ago" in out
    assert key not in out
    assert run("devices", "rename", phone.id, "Anna's phone") == 0
    assert run("devices", "scopes", "anna's phone", "speak, administer") == 0
    assert "may now speak, administer" in capsys.readouterr().out
    assert run("devices", "list", "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["name"], row["scopes"], row["keyless"]) == ("Anna's phone", ["speak", "administer"], False)
    assert "key_hash" not in row
    assert run("devices", "revoke", phone.id) == 2, "nobody can be asked here"
    assert trust.devices().check(key) is not None
    monkeypatch.setattr("sys.stdin", Tty())
    monkeypatch.setattr("builtins.input", lambda _: "phone")
    assert run("devices", "revoke", phone.id) == 1
    monkeypatch.setattr("builtins.input", lambda _: "anna's PHONE")
    assert run("devices", "revoke", phone.id) == 0
    assert trust.devices().check(key) is None
    assert run("devices", "revoke", phone.id, "--yes") == 1


@pytest.mark.parametrize("address", ["192.168.1.9", "2001:db8::7", "::ffff:192.168.1.9", "fe80::7"])
def test_a_first_01_is_admitted_by_its_address_and_can_only_speak(
    home: Path, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("devices", "admit", address, "--name", "Old light") == 0
    assert "nothing it says changes anything" in capsys.readouterr().out
    (device,) = trust.devices()
    assert (device.scopes, device.key_hash) == (frozenset({"speak"}), "")
    assert run("devices", "admit", address) == 1
    assert run("devices", "scopes", device.id, "speak,approve") == 1
    assert "Pair it to give it more" in capsys.readouterr().err


@pytest.mark.parametrize("address", ["box.local", "192.168.1", "127.0.0.1", "::1", "192.168.1.0/24", ""])
def test_what_is_no_address_of_another_machine_is_not_admitted(home: Path, address: str) -> None:
    assert run("devices", "admit", address) in (1, 2)
    assert list(trust.devices()) == []


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        (5, "just now"),
        (600, "10 minutes ago"),
        (3_700, "1 hour ago"),
        (90_000, "1 day ago"),
        (86_400 * 5, "5 days ago"),
    ],
)
def test_moments_are_told_as_people_do(passed: float, words: str) -> None:
    assert devices.ago(1_000_000_000, 1_000_000_000 + passed) == words
    assert devices.ago(0, 1e9) == "never"
