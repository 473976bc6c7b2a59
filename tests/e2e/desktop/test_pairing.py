"""Two computers, as far as programs can tell: a server that listens beyond loopback, and a client with a home of its
own that reaches it by its network address. Real processes, real TLS."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.desktop_client import read
from support.ports import quiet_port
from zero_one_desktop.pin import pinned, shown_certificate

BIN = Path(sys.executable).parent
SAY = ("--hotkey", "none", "--timeout", "120")


def environment(home: Path) -> dict[str, str]:
    gone = {"DISPLAY", "WAYLAND_DISPLAY", "PULSE_SERVER", "DBUS_SESSION_BUS_ADDRESS"}
    kept = {k: v for k, v in os.environ.items() if k not in gone and not k.endswith("_API_KEY")}
    return {**kept, "ZERO_ONE_HOME": str(home), "HOME": str(home), "HF_HUB_OFFLINE": "1", "COLUMNS": "200"}


class Computer:
    """The one with the server."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.port = quiet_port()  # the same after a restart
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> str:
        return read(self.home / "server.log")

    def start(self) -> None:
        """Until it listens and is warm: what it has to say about itself is said."""
        with (self.home / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [BIN / "01", "--server", "--server-host", "0.0.0.0", "--server-port", str(self.port),
                 "--set", "server.announce=false"],
                env=environment(self.home), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        listens = f"listens at wss://127.0.0.1:{self.port}/"
        until(lambda: listens in self.log.rpartition("--- ")[2], lambda: self.log)
        until(lambda: '"ready"' in self.health(), lambda: self.log + self.health())

    def health(self) -> str:
        pin = shown_certificate("127.0.0.1", self.port, 60)
        assert pin is not None
        url = f"https://127.0.0.1:{self.port}/health"
        with urllib.request.urlopen(url, timeout=60, context=pinned(pin)) as answer:
            return str(answer.read().decode())

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(90)
            with (self.home / "server.log").open("a") as log:
                log.write("--- stopped\n")

    def run(self, *arguments: str, status: int = 0) -> str:
        done = subprocess.run(
            [BIN / "01", *arguments], env=environment(self.home), capture_output=True, text=True, timeout=180,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    def pair(self, *arguments: str) -> tuple[subprocess.Popen[str], dict[str, Any]]:
        """``01 pair`` while it waits, and what it shows."""
        process = subprocess.Popen(
            [BIN / "01", "pair", "--json", *arguments],
            env=environment(self.home), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stdout is not None
        return process, json.loads(process.stdout.readline())


class Away:
    """The other computer, with the client."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def run(self, *arguments: str, status: int = 0) -> str:
        done = subprocess.run(
            [BIN / "01-client", *arguments], env=environment(self.home), capture_output=True, text=True, timeout=180,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    @property
    def record(self) -> Path:
        (found,) = (self.home / "data" / "servers").glob("*.json")
        return found


def until(condition: Callable[[], object], seen: Callable[[], str], limit_s: float = 180) -> None:
    """Poll what another process writes to a file."""
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end, f"it did not happen in time; seen was\n{seen()}"
        time.sleep(0.1)


@pytest.fixture(scope="module")
def computer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Computer]:
    computer = Computer(tmp_path_factory.mktemp("computer"))
    computer.start()
    yield computer
    computer.stop()


@pytest.fixture(scope="module")
def away(tmp_path_factory: pytest.TempPathFactory, computer: Computer) -> Away:
    """Paired over TLS with what ``01 pair`` showed."""
    away = Away(tmp_path_factory.mktemp("away"))
    showing, offer = computer.pair("--name", "The laptop")
    told = away.run("pair", offer["uri"])
    outcome = json.loads(showing.communicate(timeout=90)[0])
    key = json.loads(away.record.read_text())["key"]
    assert showing.returncode == 0
    assert outcome["paired"]["name"] == "The laptop"
    assert outcome["paired"]["scopes"] == ["speak", "captions", "approve"]
    assert "Paired with" in told
    # The key is on the laptop alone: nothing that is printed, logged or kept on the computer holds it.
    secret = key.split("_", 2)[2]
    assert secret not in told + computer.log + json.dumps(outcome)
    for path in (computer.home / "data").rglob("*"):
        assert not path.is_file() or key.encode() not in path.read_bytes()
    return away


def reachable(offer: dict[str, Any]) -> str:
    return f"{offer['hosts'][0]}:{offer['port']}"


def test_a_paired_client_is_understood_over_tls(away: Away, computer: Computer) -> None:
    """With nothing but the address: key, pin and TLS are found by it. Also with no address, as there is one server."""
    record = json.loads(away.record.read_text())
    assert away.record.stat().st_mode & 0o777 == 0o600
    assert record["pin"] == shown_certificate("127.0.0.1", computer.port, 60)
    asked = away.run("--server-url", record["addresses"][0], *SAY, "--say", "what time is it")
    assert re.search(r"01: It's", asked)
    listed = json.loads(computer.run("devices", "--json"))
    assert [(row["name"], row["kind"], row["keyless"]) for row in listed] == [("The laptop", "desktop", False)]
    assert listed[0]["last_seen"] is not None
    assert away.run("servers").count(record["addresses"][0]) == 1


def test_the_owners_own_programs_need_no_key_on_their_computer(computer: Computer) -> None:
    """They find the server that runs, on whatever port, and know its certificate; also the client beside it would."""
    assert re.search(r"It's", computer.run("ask", "what time is it"))
    assert "01: It's" in Away(computer.home).run(*SAY, "--say", "what time is it")


def test_a_stranger_is_turned_away_and_told_how_to_pair(tmp_path: Path, away: Away) -> None:
    address = json.loads(away.record.read_text())["addresses"][0]
    stranger = Away(tmp_path)
    told = stranger.run(
        "--server-url", f"wss://{address}", "--hotkey", "none", "--timeout", "8", "--say", "hi", status=1
    )
    assert "pair with that server: 01-client pair" in told


def test_another_certificate_than_the_pinned_one_gets_no_byte(tmp_path: Path, away: Away, computer: Computer) -> None:
    """The same key, another pin: the client says what happened and what is kept, and the server saw no request."""
    other = tmp_path / "data" / "servers"
    other.mkdir(parents=True)
    record = json.loads(away.record.read_text())
    (other / away.record.name).write_text(json.dumps({**record, "pin": "0" * 64}))
    before = computer.log
    told = Away(tmp_path).run(*SAY[:2], "--timeout", "8", "--say", "hi", status=1)
    assert "another certificate than when you paired" in told
    assert "Nothing was sent" in told
    assert computer.log == before


def test_pairing_with_another_certificate_than_the_codes_is_refused(tmp_path: Path, computer: Computer) -> None:
    """Whoever stands in between shows a certificate of its own: the code is not even sent, and still holds."""
    showing, offer = computer.pair()
    forged = re.sub(r"fp=[0-9a-f]{64}", "fp=" + "0" * 64, offer["uri"])
    assert "shows another certificate" in Away(tmp_path).run("pair", forged, status=1)
    assert not (tmp_path / "data" / "servers").exists()
    refused = Away(tmp_path).run("pair", re.sub(r"code=\d+", "code=00000000", offer["uri"]), status=1)
    assert "not right" in refused
    stranger = Away(tmp_path).run("pair", reachable(offer), offer["code"], status=1)
    assert "compare" in stranger, "without the fingerprint somebody has to look at it"
    again = Away(tmp_path).run("pair", reachable(offer), offer["code"], "--fingerprint", offer["fingerprint"])
    assert "Paired with" in again
    assert showing.wait(90) == 0


def test_a_restarted_server_is_found_again_and_a_revoked_client_is_cut_off(away: Away, computer: Computer) -> None:
    """Certificate and key outlive a restart. Revoked, the open connection drops at once and the client says so."""
    log = away.home / "client.log"
    with log.open("wb") as out:
        client = subprocess.Popen(
            [BIN / "01-client", "--hotkey", "none"],
            env=environment(away.home), stdin=subprocess.PIPE, stdout=out, stderr=out,
        )  # fmt: skip
    try:
        assert client.stdin is not None
        client.stdin.write(b"what time is it\n")
        client.stdin.flush()
        until(lambda: "01: It's" in read(log), lambda: read(log))
        computer.stop()
        until(lambda: "No connection to the server" in read(log), lambda: read(log))
        computer.start()
        until(lambda: "The server is back" in read(log), lambda: read(log))
        computer.run("devices", "revoke", "The laptop", "--yes")
        until(lambda: "refused this device" in read(log), lambda: read(log))
    finally:
        client.kill()
        client.wait()
    assert [row["name"] for row in json.loads(computer.run("devices", "--json"))] != ["The laptop"]
    assert "erased here" in away.run("forget", json.loads(away.record.read_text())["name"])
    assert not list((away.home / "data" / "servers").glob("*.json"))


def test_pairing_is_refused_in_words_where_there_is_no_server(tmp_path: Path) -> None:
    assert "no server of yours runs" in Computer(tmp_path).run("pair", status=1)


def test_ctrl_c_takes_the_code_back(tmp_path: Path, computer: Computer) -> None:
    showing, offer = computer.pair()
    showing.send_signal(signal.SIGINT)
    assert showing.wait(90) == 130
    assert "No pairing is open" in Away(tmp_path).run("pair", offer["uri"], status=1)
