"""Whose socket it is: read from tables as Linux writes them, and from the kernel itself."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from zero_one.identity import neighbour
from zero_one.identity.addresses import household, loopback, normal, own_address, own_names, parse

HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"


def row(local: str, remote: str, state: str, uid: int) -> str:
    return f"   0: {local} {remote} {state} 00000000:00000000 00:00000000 00000000 {uid:5d}        0 12345 1 0 20 4\n"


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setattr(sys, "byteorder", "little")  # as the machine on which these tables were written
    four, six = tmp_path / "tcp", tmp_path / "tcp6"
    four.write_text(
        HEAD
        + row("0100007F:2775", "00000000:0000", "0A", 0)
        + row("0100007F:2775", "0100007F:C350", "01", 0)
        + row("0100007F:C350", "0100007F:2775", "01", 1000)
        + row("0100007F:C351", "0100007F:2775", "06", 0)
        + row("0100007F:C352", "0100007F:2775", "05", 0)
        + "garbage\n   1: zz:zz 0100007F:2775 01 a b c x\n"
        + row("0200007F:C353", "0100007F:2775", "01", 1001)
    )
    six.write_text(
        HEAD
        + row("0000000000000000FFFF00000100007F:C354", "0000000000000000FFFF00000100007F:2775", "01", 1002)
        + row("00000000000000000000000001000000:C355", "00000000000000000000000001000000:2775", "01", 1003)
    )
    return [four, six]


HERE = ("127.0.0.1", 0x2775)


def test_the_owner_is_that_of_the_other_end(tables: list[Path]) -> None:
    """The same ports stand in a second row too, as our own end, with our own number."""
    assert neighbour.owner_of(("127.0.0.1", 0xC350), HERE, tables) == 1000
    assert neighbour.owner_of(("127.0.0.2", 0xC353), HERE, tables) == 1001


def test_ipv6_and_ipv4_in_its_clothes(tables: list[Path]) -> None:
    for peer in ("127.0.0.1", "::ffff:127.0.0.1"):
        assert neighbour.owner_of((peer, 0xC354), ("::ffff:127.0.0.1", 0x2775), tables) == 1002
        assert neighbour.owner_of((peer, 0xC350), ("::ffff:127.0.0.1", 0x2775), tables) == 1000
    assert neighbour.owner_of(("::1", 0xC355), ("::1", 0x2775), tables) == 1003


def test_a_connection_that_is_being_closed_tells_nothing(tables: list[Path]) -> None:
    """The kernel writes 0 there, which is root's number: a server run by root must not fall for it."""
    for port in (0xC351, 0xC352):
        assert neighbour.owner_of(("127.0.0.1", port), HERE, tables) is None


def test_who_is_not_in_the_tables_is_unknown(tables: list[Path], tmp_path: Path) -> None:
    assert neighbour.owner_of(("127.0.0.1", 1), HERE, tables) is None
    assert neighbour.owner_of(("127.0.0.1", 0xC350), ("127.0.0.1", 80), tables) is None
    assert neighbour.owner_of(("127.0.0.1", 0xC350), HERE, [tmp_path / "none"]) is None
    assert neighbour.owner_of(("nonsense", 0xC350), HERE, tables) is None


@contextmanager
def pair(host: str) -> Iterator[tuple[neighbour.End, neighbour.End]]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with (
        socket.create_server((host, 0), family=family) as server,
        socket.create_connection(server.getsockname()[:2]) as client,
    ):
        accepted, peer = server.accept()
        with accepted:
            assert client.getsockname()[:2] == peer[:2]
            yield peer[:2], accepted.getsockname()[:2]


def test_our_own_socket_is_ours() -> None:
    with pair("127.0.0.1") as (peer, here):
        assert neighbour.user_of(peer, here) == neighbour.own_user()


def test_by_processes_as_where_there_is_no_such_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """What macOS and Windows use, here with psutil's real answers; also where only our own processes may be read."""
    monkeypatch.setattr(sys, "platform", "darwin")
    me = psutil.Process().username()
    with pair("127.0.0.1") as (peer, here):
        assert neighbour.own_user() == me
        assert neighbour.user_of(peer, here) == me
        assert neighbour.user_of(("127.0.0.1", 1), here) is None

        def denied(_: str) -> None:
            raise psutil.AccessDenied

        monkeypatch.setattr(psutil, "net_connections", denied)
        monkeypatch.setattr(psutil, "process_iter", lambda: iter([psutil.Process(os.getpid())]))
        assert neighbour.user_of(peer, here) == me
        assert neighbour.user_of(("127.0.0.1", 1), here) is None


def test_addresses_have_one_spelling() -> None:
    assert normal("::FFFF:192.0.2.7") == "192.0.2.7"
    assert normal("2001:DB8:0::1") == "2001:db8::1"
    assert normal("fe80::1%eth0") == "fe80::1"
    assert normal("nonsense") == "nonsense"
    assert parse("127.1") is None
    assert all(loopback(one) for one in ("127.8.9.1", "::1", "[::1]", "::ffff:127.0.0.1"))
    assert not any(loopback(one) for one in ("0.0.0.0", "localhost", "1.2.3.4", "::", ""))
    assert household("2001:db8::1") == household("2001:db8::ffff:1") != household("2001:db8:0:1::1")
    assert household("192.0.2.1") != household("192.0.2.2")
    assert own_address("127.0.0.1")
    assert not own_address("192.0.2.77")
    assert "localhost" in own_names()
