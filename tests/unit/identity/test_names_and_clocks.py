"""What a device calls itself misleads nobody, a clock that is set back gives no code more time, and no lock of another
process keeps readers of the list waiting."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from filelock import FileLock

from zero_one.identity.access import owner
from zero_one.identity.devices import DeviceBook, DeviceError
from zero_one.identity.pairing import LIFETIME_S, PairingDesk, PairingError


@pytest.mark.parametrize(
    "claimed",
    ["Bedroom", "BEDROOM", " bed\u200broom ", "Bed\u202eroom",
     "\uff22\uff45\uff44\uff52\uff4f\uff4f\uff4d", "Bedroom\n"],
)  # fmt: skip
def test_no_device_is_called_like_another_one(tmp_path: Path, claimed: str) -> None:
    """Not by letter case, by invisible or full-width letters; so a name in the settings means one device."""
    book = DeviceBook(tmp_path / "devices.json")
    first, _ = book.admit("Bedroom", "", now=1.0)
    second, _ = book.admit(claimed, "", now=2.0)
    third = book.admit_address("192.0.2.7", claimed, now=3.0)
    assert second.name.endswith(" 2")
    assert third.name.endswith(" 3")
    assert book.named("bedroom") == first
    with pytest.raises(DeviceError, match="taken"):
        book.rename(second.id, claimed)
    assert book.rename(second.id, "Attic").name == "Attic"
    assert book.rename(second.id, "attic").name == "attic", "its own name in other letters"


def test_no_device_is_called_like_those_who_are_on_no_list(tmp_path: Path) -> None:
    book = DeviceBook(tmp_path / "devices.json")
    device, _ = book.admit("This  Computer", "", now=1.0)
    assert device.name.casefold() != owner("x").name


def test_a_device_that_calls_itself_by_anothers_id_is_never_taken_for_it(tmp_path: Path) -> None:
    book = DeviceBook(tmp_path / "devices.json")
    first, _ = book.admit("Kitchen", "", now=1.0)
    book.admit(first.id, "", now=2.0)
    liar, _ = book.admit(first.id[:4], "", now=3.0)
    assert book.named(first.id) == first
    with pytest.raises(DeviceError, match="More than one"):
        book.named(first.id[:4])
    assert book.named(liar.id) == liar


@pytest.mark.parametrize("back_s", [3600.0, 10 * 365 * 86400.0])
def test_a_clock_that_is_set_back_gives_a_code_no_more_time(tmp_path: Path, back_s: float) -> None:
    desk = PairingDesk(tmp_path / "pairing.json")
    code = desk.offer(now=1e9)
    assert desk.state(now=1e9 - 5) == "open", "a clock may be put right by a little"
    assert desk.state(now=1e9 - back_s) == "none"
    with pytest.raises(PairingError, match="No pairing is open"):
        desk.redeem(code, now=1e9 - back_s)


def test_a_code_still_ends_with_its_time(tmp_path: Path) -> None:
    desk = PairingDesk(tmp_path / "pairing.json")
    code = desk.offer(now=1e9)
    with pytest.raises(PairingError, match="No pairing is open"):
        desk.redeem(code, now=1e9 + LIFETIME_S + 0.1)


def test_while_another_process_holds_the_list_it_can_be_read(tmp_path: Path) -> None:
    """A command that was stopped in the middle must not stop the server too: nobody's key is looked at later for it."""
    path = tmp_path / "devices.json"
    book = DeviceBook(path)
    device, key = book.admit("Kitchen", "", now=1.0)
    with FileLock(path.with_suffix(".lock")):
        writer = threading.Thread(target=lambda: book.rename(device.id, "Attic"))
        writer.start()
        book.seen(device.id, now=1000.0)  # not worth waiting for
        path.touch()
        assert book.refresh() == frozenset()
        assert book.check(key) is not None
    writer.join(30)
    assert not writer.is_alive()
    assert book.named("attic").id == device.id
