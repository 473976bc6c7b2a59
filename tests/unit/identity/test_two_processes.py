"""The lists of devices and codes are changed by several processes: nothing is lost, no guess is free, killed or not."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from zero_one.identity.devices import SEEN_EVERY_S, DeviceBook, DeviceError
from zero_one.identity.pairing import MOST_TRIES, PairingDesk, PairingError

ADD = """
import sys
from pathlib import Path
from zero_one.identity.devices import DeviceBook
book = DeviceBook(Path(sys.argv[1]))
print(*[book.admit(f"Device {n}", "", now=float(n))[0].id for n in range(10)])
"""


def test_devices_that_processes_add_at_once_are_all_there(tmp_path: Path) -> None:
    path = tmp_path / "devices.json"
    together = [
        subprocess.Popen([sys.executable, "-c", ADD, str(path)], stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    added = [ident for process in together for ident in process.communicate(timeout=100)[0].split()]
    assert len(added) == 30
    assert {device.id for device in DeviceBook(path)} == set(added)


def test_a_server_that_writes_never_brings_back_who_was_revoked(tmp_path: Path) -> None:
    """Nor does anything else that it writes from what it knew before."""
    path = tmp_path / "devices.json"
    server = DeviceBook(path)
    phone, key = server.admit("Phone", "", now=1.0)
    echo = server.admit_address("192.0.2.7", "Echo", now=2.0)
    DeviceBook(path).revoke(phone.id)
    server.seen(phone.id, now=1000.0)
    server.seen(echo.id, now=1000.0)
    with pytest.raises(KeyError):
        server.rename(phone.id, "Again")
    server.admit("Other", "", now=3.0)
    assert {device.name for device in DeviceBook(path)} == {"Echo", "Other"}
    assert server.check(key) is None


def test_a_change_that_could_not_be_written_did_not_happen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "devices.json"
    book = DeviceBook(path)
    device, key = book.admit("Phone", "", now=1.0)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("zero_one.identity.devices.write_whole", full)
    with pytest.raises(OSError):
        book.revoke(device.id)
    with pytest.raises(OSError):
        book.admit("Ghost", "", now=2.0)
    with pytest.raises(OSError):
        book.allow(device.id, {"speak"})
    assert [(d.name, d.scopes) for d in book] == [("Phone", device.scopes)]
    assert book.check(key) == device


def test_when_a_device_was_here_is_written_once_a_minute(tmp_path: Path) -> None:
    path = tmp_path / "devices.json"
    book = DeviceBook(path)
    device, _ = book.admit("Phone", "", now=1.0)
    times = []
    for second in range(1000, 1000 + int(SEEN_EVERY_S) * 2, 10):
        book.seen(device.id, now=float(second))
        times.append(DeviceBook(path).get(device.id).last_seen)  # type: ignore[union-attr]
    assert sorted(set(times)) == [1000.0, 1060.0]


def test_a_row_of_another_version_costs_nothing_but_what_it_adds(tmp_path: Path) -> None:
    path = tmp_path / "devices.json"
    _, key = DeviceBook(path).admit("Phone", "", now=1.0)
    raw = json.loads(path.read_text())
    raw["devices"][0] |= {"colour": "red", "scopes": ["speak", "fly", 5]}
    path.write_text(json.dumps(raw))
    book = DeviceBook(path)
    found = book.check(key)
    assert found is not None
    assert found.scopes == {"speak"}
    assert book.lost == ""


@pytest.mark.parametrize(
    "damage",
    [{"key_hash": 5}, {"scopes": "speak"}, {"id": None}, {"paired_at": "soon"}, {"address": ["192.0.2.1"]}],
)
def test_a_row_that_makes_no_sense_opens_nothing(tmp_path: Path, damage: dict[str, object]) -> None:
    path = tmp_path / "devices.json"
    _, key = DeviceBook(path).admit("Phone", "", now=1.0)
    raw = json.loads(path.read_text())
    raw["devices"][0] |= damage
    path.write_text(json.dumps(raw))
    book = DeviceBook(path)
    assert book.check(key) is None
    assert "pair them again" in book.lost


def test_an_address_is_admitted_in_every_spelling_and_nothing_else_is(tmp_path: Path) -> None:
    book = DeviceBook(tmp_path / "devices.json")
    device = book.admit_address("::ffff:192.0.2.7", "Echo", now=1.0)
    assert book.at_address("192.0.2.7") == book.at_address("::FFFF:192.0.2.7") == device
    assert book.at_address("") is None
    with pytest.raises(DeviceError, match="no IP address"):
        book.admit_address("kitchen", "Echo", now=1.0)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits for the lock gets it in the end, on a busy machine too."""
    monkeypatch.setattr("zero_one.identity.pairing._LOCK_S", 100.0)


@pytest.mark.usefixtures("patient")
def test_guesses_at_once_are_all_counted(tmp_path: Path) -> None:
    path = tmp_path / "pairing.json"
    code = PairingDesk(path).offer(now=0)
    wrong = f"{(int(code.replace(' ', '')) + 1) % 10**8:08}"

    def guess(_: int) -> str:
        with pytest.raises(PairingError) as no:
            PairingDesk(path).redeem(wrong, now=1)
        return str(no.value)

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(guess, range(12)))
    assert sum("not right" in answer for answer in answers) == MOST_TRIES
    with pytest.raises(PairingError, match="Too many"):
        PairingDesk(path).redeem(code, now=1)


@pytest.mark.usefixtures("patient")
def test_of_many_who_have_the_code_one_gets_the_key(tmp_path: Path) -> None:
    path = tmp_path / "pairing.json"
    code = PairingDesk(path).offer(now=0)

    def take(_: int) -> bool:
        try:
            PairingDesk(path).redeem(code, now=1)
        except PairingError:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(take, range(8))) == 1


def test_a_guess_that_is_killed_in_the_middle_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killing the server after each guess must not make guesses free."""
    path = tmp_path / "pairing.json"
    code = PairingDesk(path).offer(now=0)

    def killed(*_: object) -> str:
        raise KeyboardInterrupt

    for _ in range(MOST_TRIES):
        with monkeypatch.context() as patch:
            patch.setattr("zero_one.identity.pairing._slow_hash", killed)
            with pytest.raises(KeyboardInterrupt):
                PairingDesk(path).redeem("1", now=1)
    with pytest.raises(PairingError, match="Too many"):
        PairingDesk(path).redeem(code, now=1)


CHANGE = """
import sys
from pathlib import Path
from zero_one.identity.devices import DeviceBook
book = DeviceBook(Path(sys.argv[1]))
print("on", flush=True)
while True:
    device, _ = book.admit("Passing", "", now=2.0)
    book.revoke(device.id)
"""


def _killed_while_writing(path: Path, runs: int, seed: int) -> None:
    chance = random.Random(seed)
    book = DeviceBook(path)
    stays, key = book.admit("Stays", "", now=1.0)
    for _ in range(runs):
        with subprocess.Popen([sys.executable, "-c", CHANGE, str(path)], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"on\n"
            # A moment of chance is what this is about: the kill must hit any place between two writes.
            time.sleep(chance.uniform(0, 0.03))
            process.send_signal(signal.SIGKILL)
        found = DeviceBook(path)
        assert found.lost == ""
        assert found.check(key) is not None
        assert found.get(stays.id) is not None
        DeviceBook(path).rename(stays.id, "Stays")  # the lock of a dead process holds nobody up
    assert list(path.parent.glob("*.damaged-*")) == []


def test_killed_at_any_moment_the_list_is_whole(tmp_path: Path) -> None:
    _killed_while_writing(tmp_path / "devices.json", 6, 1)


@pytest.mark.long
def test_killed_at_any_moment_the_list_is_whole_many_times(tmp_path: Path) -> None:
    _killed_while_writing(tmp_path / "devices.json", 200, 2)
