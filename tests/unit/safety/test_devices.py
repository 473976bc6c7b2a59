"""Keys and codes: only hashes are kept, wrong ones never pass, one use, five minutes, five tries, revoking at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from zero_one.identity.devices import DeviceBook, DeviceError
from zero_one.identity.pairing import LIFETIME_S, MOST_TRIES, PairingDesk, PairingError


def test_a_key_opens_its_device_and_is_kept_nowhere(tmp_path: Path) -> None:
    book = DeviceBook(tmp_path / "devices.json")
    device, key = book.admit("Kitchen", "atom-echo", now=1.0)
    assert DeviceBook(tmp_path / "devices.json").check(key) == device
    assert key.split("_", 2)[2] not in (tmp_path / "devices.json").read_text()
    assert (tmp_path / "devices.json").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("wrong", ["", "01_", "x", "01_000000000000_" + "a" * 43, "\0", "01_é_x"])
def test_a_wrong_key_opens_nothing(tmp_path: Path, wrong: str) -> None:
    book = DeviceBook(tmp_path / "devices.json")
    device, key = book.admit("Kitchen", "", now=1.0)
    other, other_key = book.admit("Desk", "", now=2.0)
    assert book.check(wrong) is None
    assert book.check(f"01_{device.id}_{other_key.split('_', 2)[2]}") is None
    assert book.check(key[:-1]) is None
    assert book.check(key) == device
    assert other.id != device.id


def test_revoking_in_another_process_is_noticed(tmp_path: Path) -> None:
    server = DeviceBook(tmp_path / "devices.json")
    device, key = server.admit("Phone", "", now=1.0)
    DeviceBook(tmp_path / "devices.json").revoke(device.id)
    assert server.refresh() == {device.id}
    assert server.check(key) is None


def test_a_device_without_a_key_may_only_speak(tmp_path: Path) -> None:
    book = DeviceBook(tmp_path / "devices.json")
    device = book.admit_address("192.0.2.7", "Old echo", now=1.0)
    assert book.at_address("192.0.2.7") == device
    assert device.scopes == {"speak"}
    with pytest.raises(DeviceError, match="Pair it"):
        book.allow(device.id, {"speak", "approve"})
    with pytest.raises(DeviceError, match="no scope"):
        book.allow(device.id, {"root"})


def test_a_damaged_list_is_kept_and_told(tmp_path: Path) -> None:
    path = tmp_path / "devices.json"
    _, key = DeviceBook(path).admit("Phone", "", now=1.0)
    whole = path.read_bytes()
    for cut in range(0, len(whole), 17):
        path.write_bytes(whole[:cut])
        book = DeviceBook(path)
        assert book.check(key) is None
        assert "pair them again" in book.lost
    assert len(list(tmp_path.glob("*.damaged-*"))) == len(range(0, len(whole), 17))


def test_a_code_works_once(tmp_path: Path) -> None:
    desk = PairingDesk(tmp_path / "pairing.json")
    code = desk.offer(now=0)
    PairingDesk(tmp_path / "pairing.json").redeem(code.replace(" ", "-"), now=10)
    with pytest.raises(PairingError, match="No pairing is open"):
        desk.redeem(code, now=11)


def test_a_code_ends_after_its_time_and_after_too_many_tries(tmp_path: Path) -> None:
    desk = PairingDesk(tmp_path / "pairing.json")
    code = desk.offer(now=0)
    with pytest.raises(PairingError):
        desk.redeem(code, now=LIFETIME_S + 1)
    code = desk.offer(now=0)
    wrong = "0000 0000" if code != "0000 0000" else "1111 1111"
    for _ in range(MOST_TRIES):
        with pytest.raises(PairingError, match="not right"):
            desk.redeem(wrong, now=1)
    with pytest.raises(PairingError, match="Too many"):
        desk.redeem(code, now=1)


def test_a_new_code_voids_the_old_one(tmp_path: Path) -> None:
    desk = PairingDesk(tmp_path / "pairing.json")
    old, new = desk.offer(now=0), desk.offer(now=0)
    with pytest.raises(PairingError):
        desk.redeem(old, now=1)
    desk.redeem(new, now=1)
    assert not (tmp_path / "pairing.json").exists()
