"""Keys, pins, invitations and targets: what is kept where, and what is never sent to whom."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import types
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zero_one_desktop import keyfile, vault
from zero_one_desktop.invitation import Invitation, read_fingerprint, read_invitation, shown_fingerprint
from zero_one_desktop.keys import KeepError, Keys, Paired
from zero_one_desktop.link import closed_because, refused
from zero_one_desktop.target import TargetError, find_target
from zero_one_desktop.vault import SystemKeyring, VaultError

PIN = "ab" * 32
BOX = Paired("Box", ("192.168.1.5:10101", "box.example:443"), PIN, "", "d1", "01_0123456789ab_secret")


class Ring:
    """A keyring in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def get(self, name: str) -> str | None:
        return self.kept.get(name)

    def put(self, name: str, secret: str) -> None:
        self.kept[name] = secret

    def drop(self, name: str) -> None:
        del self.kept[name]


class Locked:
    def get(self, name: str) -> str | None:
        raise VaultError("The keyring is locked.")

    def put(self, name: str, secret: str) -> None:
        raise VaultError("The keyring is locked.")

    def drop(self, name: str) -> None:
        raise VaultError("The keyring is locked.")


# --- invitations


HOSTS = ("192.168.1.5", "2001:db8::1", "box.local", "box.example:443", "[2001:db8::2]:443")


@given(
    st.lists(st.sampled_from(HOSTS), min_size=1),
    st.integers(1, 65535),
    st.text(max_size=60),
)  # fmt: skip
def test_an_invitation_reads_as_it_was_written(hosts: list[str], port: int, name: str) -> None:
    wrote = Invitation(tuple(dict.fromkeys(hosts)), port, "48210937", PIN, name.strip(), "https://a.example")
    read = read_invitation(wrote.uri)
    assert read == wrote
    assert all(0 < port < 65536 for _, port in read.places)


def test_the_scheme_may_be_written_as_people_say_it() -> None:
    wrote = Invitation(("192.168.1.5",), 10101, "48210937", PIN)
    assert read_invitation(" " + wrote.uri.replace("zero-one:", "01:")) == wrote


def test_an_address_may_bring_its_own_port() -> None:
    found = Invitation(("192.168.1.5", "box.example:443", "2001:db8::1", "[2001:db8::2]:7"), 10101)
    assert found.places == (
        ("192.168.1.5", 10101), ("box.example", 443), ("2001:db8::1", 10101), ("2001:db8::2", 7),
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["", "https://evil.example/pair?host=a&port=1", "zero-one://pair", "zero-one://pair?host=a", "zero-one://other?host=a&port=1",
     "zero-one://pair?host=a&port=0", "zero-one://pair?host=a&port=70000", "zero-one://pair?host=a b&port=1",
     "zero-one://pair?host=a&port=1&fp=12", "zero-one://pair?port=1&public=http://a.example"],
)  # fmt: skip
def test_what_is_no_invitation_is_refused_in_words(text: str) -> None:
    with pytest.raises(ValueError, match=r"pairing code|fingerprint|https"):
        read_invitation(text)


def test_a_fingerprint_is_read_however_it_was_grouped() -> None:
    assert read_fingerprint(shown_fingerprint(PIN)) == PIN
    assert read_fingerprint(":".join(["AB"] * 32)) == PIN


# --- keys


def test_a_key_lies_in_a_file_that_only_its_owner_can_read(tmp_path: Path) -> None:
    where = Keys(tmp_path, None).keep(BOX)
    (path,) = (tmp_path / "servers").iterdir()
    assert "only you can read" in where
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700
    assert Keys(tmp_path, None).find("192.168.1.5") == BOX
    assert Keys(tmp_path, None).find("https://box.example") == BOX
    assert Keys(tmp_path, None).find("box") == BOX
    assert Keys(tmp_path, None).find("192.168.1.6") is None


def test_with_a_keyring_the_file_holds_no_key(tmp_path: Path) -> None:
    ring = Ring()
    assert "keyring" in Keys(tmp_path, ring).keep(BOX)
    assert all(BOX.key not in path.read_text() for path in (tmp_path / "servers").iterdir())
    assert Keys(tmp_path, ring).find("Box") == BOX
    with pytest.raises(KeepError, match=r"locked.*unlock the keyring"):
        Keys(tmp_path, Locked()).find("Box")
    Keys(tmp_path, ring).forget("Box")
    assert ring.kept == {}
    assert Keys(tmp_path, ring).all() == []


def test_a_keyring_that_refuses_is_replaced_by_the_file(tmp_path: Path) -> None:
    assert "The keyring is locked" in Keys(tmp_path, Locked()).keep(BOX)
    assert Keys(tmp_path, Locked()).find("Box") == BOX


def test_pairing_again_replaces_what_was_known_of_those_addresses(tmp_path: Path) -> None:
    """Its certificate was made anew: the old pin and key are gone with the address."""
    keys = Keys(tmp_path, None)
    keys.keep(BOX)
    keys.keep(Paired("Box", BOX.addresses, "cd" * 32, "", "d2", "01_0123456789ab_newer"))
    (found,) = keys.all()
    assert found.pin == "cd" * 32


def test_a_damaged_file_is_kept_and_told_and_the_others_work(tmp_path: Path) -> None:
    keys = Keys(tmp_path, None)
    keys.keep(BOX)
    (tmp_path / "servers" / "aa.json").write_text('{"addresses": [')
    assert keys.find("Box") == BOX
    assert "could not be read" in keys.lost[0]
    assert list((tmp_path / "servers").glob("aa.json.damaged-*"))


def test_a_key_is_in_no_text_of_what_holds_it(tmp_path: Path) -> None:
    keys = Keys(tmp_path, None)
    keys.keep(BOX)
    assert BOX.key not in repr(BOX)
    assert BOX.key not in repr(find_target("Box", keys))


# --- the system's keyring


def fake_keyring(monkeypatch: pytest.MonkeyPatch, **backend: Any) -> None:
    ring = types.SimpleNamespace(**{"priority": 5, **backend})
    monkeypatch.setitem(sys.modules, "keyring", types.SimpleNamespace(get_keyring=lambda: ring))


def test_a_keyring_that_never_answers_is_given_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    forever = threading.Event()
    fake_keyring(monkeypatch, get_password=lambda *_: forever.wait())
    began = time.monotonic()
    with pytest.raises(VaultError, match="did not answer"):
        SystemKeyring(0.1).get("x")
    assert time.monotonic() - began < 60
    forever.set()


def test_a_keyring_that_keeps_secrets_readable_or_forgets_them_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_keyring(monkeypatch, priority=0.5)
    with pytest.raises(VaultError, match="no keyring that works"):
        SystemKeyring().put("x", "secret")
    fake_keyring(monkeypatch, set_password=lambda *_: None, get_password=lambda *_: None)
    with pytest.raises(VaultError, match="did not keep"):
        SystemKeyring().put("x", "secret")


def test_what_a_backend_says_of_a_secret_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: str) -> None:
        raise RuntimeError(f"cannot keep {given}")

    fake_keyring(monkeypatch, set_password=broken)
    with pytest.raises(VaultError) as caught:
        SystemKeyring().put("x", "very-secret")
    assert "very-secret" not in str(caught.value)


def test_where_no_keyring_is_installed_the_words_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(VaultError, match="No keyring is installed"):
        SystemKeyring().get("x")
    assert vault.PATIENCE_S <= 10


# --- targets


def test_a_paired_server_is_found_by_address_and_never_spoken_to_without_tls(tmp_path: Path) -> None:
    keys = Keys(tmp_path, None)
    keys.keep(BOX)
    for given_ in ("192.168.1.5", "ws://192.168.1.5:10101", "http://192.168.1.5:10101/", "Box", ""):
        target = find_target(given_, keys)
        assert target.token == BOX.key
        assert target.pin == PIN
        assert all(url.startswith("wss://") for url in target.urls)
    assert find_target("box.example:443", keys).urls[0] == "wss://box.example:443/"


def test_an_address_with_a_public_certificate_is_checked_as_a_browser_does(tmp_path: Path) -> None:
    keys = Keys(tmp_path, None)
    keys.keep(Paired("Box", ("192.168.1.5:10101", "a.ngrok.app:443"), PIN, "a.ngrok.app:443", "d", "01_0123456789ab_s"))
    target = find_target("Box", keys)
    near, public = (target.context(url) for url in target.urls)
    assert near is not None
    assert public is not None
    assert not near.check_hostname
    assert public.check_hostname


def test_a_key_goes_over_a_plain_connection_only_to_this_machine(tmp_path: Path) -> None:
    keys = Keys(tmp_path, None)
    assert find_target("127.0.0.1", keys, token="k").token == "k"
    assert find_target("[::1]:10101", keys, token="k").token == "k"
    for url in ("192.168.1.9", "ws://box.local:10101", "http://localhost.evil.example"):
        with pytest.raises(TargetError, match="without TLS"):
            find_target(url, keys, token="k")
    assert find_target("192.168.1.9", keys, token="k", insecure=True).token == "k"
    assert find_target("192.168.1.9", keys).token is None, "a server of the first 01 needs none"


def test_a_server_of_the_same_data_folder_is_found_with_its_certificate(tmp_path: Path) -> None:
    """Without pairing: whoever can read that file is its owner. Only on this machine, and only at its port."""
    keys = Keys(tmp_path, None)
    (tmp_path / "server.json").write_text(json.dumps({"pid": 1, "host": "0.0.0.0", "port": 18_000, "pin": PIN}))
    for given_ in ("", "127.0.0.1:18000", "wss://localhost:18000"):
        target = find_target(given_, keys, here=tmp_path)
        assert (target.pin, target.urls[0].partition(":")[0]) == (PIN, "wss")
    assert find_target("127.0.0.1:18001", keys, here=tmp_path).pin == ""
    assert find_target("192.168.1.5:18000", keys, here=tmp_path).pin == ""
    (tmp_path / "server.json").write_text("{")
    assert find_target("", keys, here=tmp_path).urls == ("ws://127.0.0.1:10101/",)


def test_a_server_that_was_paired_without_tls_gets_its_key_on_this_machine_alone(tmp_path: Path) -> None:
    keys = Keys(tmp_path, None)
    keys.keep(Paired("Here", ("127.0.0.1:10101",), "", "", "d", "01_0123456789ab_s"))
    assert find_target("Here", keys).urls == ("ws://127.0.0.1:10101/",)
    keys.keep(Paired("There", ("192.168.1.7:10101",), "", "", "d", "01_0123456789ab_s"))
    with pytest.raises(TargetError, match="only with --insecure"):
        find_target("There", keys)


def test_the_key_is_taken_from_a_private_file_or_the_environment_never_from_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from zero_one_desktop.__main__ import parser

    with pytest.raises(SystemExit):
        parser().parse_args(["--token", "secret"])
    path = tmp_path / "key"
    path.write_text("01_0123456789ab_secret\n")
    path.chmod(0o644)
    if os.name == "posix":
        with pytest.raises(ValueError, match="chmod 600"):
            keyfile.given_token(path)
    path.chmod(0o600)
    assert keyfile.given_token(path) == "01_0123456789ab_secret"
    monkeypatch.setenv(keyfile.VARIABLE, "from-the-environment")
    assert keyfile.given_token(None) == "from-the-environment"
    with pytest.raises(ValueError, match="cannot be read"):
        keyfile.given_token(tmp_path / "none")


def test_refusals_say_what_to_do() -> None:
    assert "pair it first" in refused(401)
    assert "Not paired with this computer" in closed_because(4401, "Not paired with this computer. On it, run: 01 pair")
    assert json.dumps(refused(404)).count("no Light Server") == 1
