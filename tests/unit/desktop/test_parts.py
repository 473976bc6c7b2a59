"""The client's parts without network, sound or screen."""

from __future__ import annotations

import asyncio
import io
import random
import stat
import sys
from pathlib import Path

import pytest

from zero_one.protocol.events import (
    Answer,
    Cancelled,
    Pcm,
    Played,
    Pressed,
    Released,
    SpeechEnd,
    SpeechPcm,
    SpeechStart,
    Typed,
)
from zero_one.protocol.lmc import Message
from zero_one_desktop.__main__ import main
from zero_one_desktop.answers import Asked, Questions, read_answer
from zero_one_desktop.control import Control, ControlError, send
from zero_one_desktop.hotkey import Hotkey, HotkeyError
from zero_one_desktop.lines import read_lines
from zero_one_desktop.options import is_near, websocket_url
from zero_one_desktop.outbox import Outbox
from zero_one_desktop.player import Player
from zero_one_desktop.preroll import PreRoll
from zero_one_desktop.reconnect import LONGEST_DELAY_S, STABLE_AFTER_S, Backoff
from zero_one_desktop.screen import Screen

# --- addresses --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("127.0.0.1:10101", "ws://127.0.0.1:10101/"),
        ("localhost", "ws://localhost:10101/"),
        ("0.0.0.0:10001", "ws://127.0.0.1:10001/"),
        ("http://box.local:10101", "ws://box.local:10101/"),
        ("https://abc.example.org", "wss://abc.example.org/"),
        ("ws://10.0.0.2:5/path?x=1", "ws://10.0.0.2:5/path?x=1"),
        ("WSS://Example.ORG/", "wss://example.org/"),
        ("[::1]:10101", "ws://[::1]:10101/"),
        ("::1", "ws://[::1]:10101/"),
        ("  box:7 ", "ws://box:7/"),
    ],
)
def test_a_server_address_may_be_written_in_many_ways(given: str, url: str) -> None:
    assert websocket_url(given) == url


@pytest.mark.parametrize("given", ["", "ftp://x", "http://", "box:notaport", "two words:1", "box:99999"])
def test_what_is_no_address_is_said_to_be_none(given: str) -> None:
    with pytest.raises(ValueError, match="no server address"):
        websocket_url(given)


def test_no_proxy_stands_between_neighbours() -> None:
    assert all(is_near(url) for url in ("ws://127.0.0.1:1/", "ws://[::1]:1/", "ws://box:1/", "ws://192.168.1.5:1/"))
    assert not is_near("wss://example.org/")


# --- reconnecting -----------------------------------------------------------------------------------------------------


def test_delays_grow_to_the_cap_jitter_and_start_again_after_a_good_connection() -> None:
    backoff = Backoff(random.Random(1))
    delays = [backoff.failed() for _ in range(12)]
    assert 0.25 <= delays[0] <= 0.5
    assert all(LONGEST_DELAY_S / 2 <= delay <= LONGEST_DELAY_S for delay in delays[6:])
    assert len(set(delays)) == len(delays)
    assert backoff.failed(STABLE_AFTER_S) <= 0.5


# --- what is kept -----------------------------------------------------------------------------------------------------


def test_an_utterance_is_streamed_and_forgotten_when_it_is_confirmed() -> None:
    box = Outbox()
    box.link_up(confirms=True)
    box.begin("u1")
    box.feed(b"ab")
    assert box.next_events() == [Pressed("u1"), Pcm(b"ab")]
    box.feed(b"cd")
    box.end(50)
    assert box.next_events() == [Pcm(b"cd"), Released(50)]
    assert (box.next_events(), box.waiting) == ([], 1)
    box.confirmed("u1")
    assert box.waiting == 0


def test_an_utterance_begun_while_the_link_is_down_is_kept_and_sent_whole() -> None:
    box = Outbox()
    box.begin("u1")
    box.feed(b"ab")
    assert box.next_events() == []
    box.end(50)
    box.link_up(confirms=True)
    # Nobody holds the button for as long as this lasts now.
    assert box.next_events() == [Pressed("u1", "voice"), Pcm(b"ab"), Released(0)]


def test_an_utterance_whose_link_broke_is_sent_again_from_its_beginning_under_its_id() -> None:
    box = Outbox()
    box.link_up(confirms=True)
    box.begin("u1")
    box.feed(b"ab")
    box.next_events()
    box.link_down()
    box.feed(b"cd")
    box.link_up(confirms=True)
    assert box.next_events() == [Pressed("u1"), Pcm(b"abcd")]
    box.feed(b"ef")
    box.end()
    assert box.next_events() == [Pcm(b"ef"), Released(0)]


def test_kept_words_wait_for_each_other() -> None:
    """Two sent at once would silence each other."""
    box = Outbox()
    box.type("m1", "first")
    box.type("m2", "second")
    box.link_up(confirms=True)
    assert box.next_events() == [Typed("first", id="m1")]
    box.confirmed("m1")
    box.state("thinking")
    assert box.next_events() == []
    box.state("idle")
    assert box.next_events() == [Typed("second", id="m2")]


def test_who_presses_now_is_heard_before_what_waits() -> None:
    box = Outbox()
    box.type("m1", "first")
    box.type("m2", "second")
    box.link_up(confirms=True)
    box.next_events()
    box.begin("u1")
    assert box.next_events() == [Pressed("u1")]


def test_a_cancelled_utterance_is_taken_back_only_where_it_was_sent() -> None:
    box = Outbox()
    box.begin("u1")
    assert (box.cancel(), box.waiting) == ([], 0)
    box.link_up(confirms=True)
    box.begin("u2")
    box.next_events()
    assert (box.cancel(), box.waiting) == ([Cancelled()], 0)


def test_a_server_that_confirms_nothing_is_sent_things_once() -> None:
    box = Outbox()
    box.link_up(confirms=False)
    box.type("m1", "hello")
    assert len(box.next_events()) == 1
    assert box.waiting == 0


def test_preroll_keeps_the_last_moments_only() -> None:
    roll = PreRoll(100, 16_000)
    for number in range(50):
        roll.feed(bytes([number]) * 640)
    kept = roll.take()
    assert kept == b"".join(bytes([number]) * 640 for number in range(45, 50))
    assert roll.take() == b""


# --- playing ----------------------------------------------------------------------------------------------------------


class Ear:
    """A loudspeaker whose time is moved by hand."""

    rate = 24_000

    def __init__(self) -> None:
        self.written = b""
        self.heard_ms = 0

    @property
    def position_ms(self) -> int:
        return min(self.heard_ms, self.end_ms)

    @property
    def end_ms(self) -> int:
        return len(self.written) // 48

    def write(self, pcm: bytes) -> None:
        self.written += pcm

    def drop(self) -> None:
        self.written = self.written[: self.position_ms * 48]

    async def drained(self) -> None: ...
    def close(self) -> None: ...


def test_played_positions_belong_to_their_generation() -> None:
    ear = Ear()
    player = Player(ear)
    for generation in (1, 2):
        player.start(SpeechStart(generation))
        player.feed(SpeechPcm(generation, bytes(48 * 100)))
        player.finish(SpeechEnd(generation))
    ear.heard_ms = 130
    assert player.reports() == [Played(1, 100), Played(2, 30)]
    assert player.reports() == []
    ear.heard_ms = 160
    assert player.hush() == [Played(2, 60)]
    assert not player.playing
    assert ear.end_ms == 160


def test_a_flush_drops_older_generations_and_their_latecomers() -> None:
    ear = Ear()
    player = Player(ear)
    player.start(SpeechStart(1))
    player.feed(SpeechPcm(1, bytes(48 * 500)))
    ear.heard_ms = 100
    player.flush(2)
    player.feed(SpeechPcm(1, bytes(48 * 500)))
    player.start(SpeechStart(1))
    assert ear.end_ms == 100
    player.start(SpeechStart(2, 16_000))
    player.feed(SpeechPcm(2, bytes(32 * 500)))
    player.finish(SpeechEnd(2))
    assert abs(ear.end_ms - 600) <= 2


def test_volume_scales_the_sound() -> None:
    ear = Ear()
    player = Player(ear)
    player.volume = 50
    player.start(SpeechStart(1))
    player.feed(SpeechPcm(1, (1000).to_bytes(2, "little") * 10))
    assert ear.written == (500).to_bytes(2, "little") * 10


# --- questions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "answer", "but"),
    [
        ("y", "yes", None),
        ("Yes.", "yes", None),
        ("n", "no", None),
        ("", "no", None),
        ("   ", "no", None),
        ("no, but use the other folder", "no", "use the other folder"),
        ("No but later", "no", "later"),
        ("n: but only the old ones", "no", "only the old ones"),
        ("no. rename them", "no", "rename them"),
        ("what does it do?", "no", "what does it do?"),
        ("yesterday's files only", "no", "yesterday's files only"),
        ("nothing older than a year", "no", "nothing older than a year"),
    ],
)
def test_no_clear_yes_is_a_no(line: str, answer: str, but: str | None) -> None:
    assert read_answer(Asked("q", "May I?"), line) == Answer("q", answer, but)


def test_destroying_needs_the_whole_word() -> None:
    asked = Asked("q", "May I?", risk="destroy")
    assert read_answer(asked, "y") == Answer("q", "no")
    assert read_answer(asked, "ok") == Answer("q", "no")
    assert read_answer(asked, "yes") == Answer("q", "yes")


def test_a_question_is_open_until_it_is_answered_or_closed() -> None:
    questions = Questions()
    content = {"question": "May I?", "code": "rm x", "effects": ["deletes x"], "timeout_s": 60.0}
    asked = questions.show(Message("server", "approval", content=content, id="q1"))
    assert asked is not None
    assert (asked.code, asked.effects, asked.expires_s) == ("rm x", ("deletes x",), 60)
    questions.show(Message("server", "approval", content={"answer": "no"}, end=True, id="q1"))
    assert questions.answer("y") is None
    questions.show(Message("server", "approval", content={"effects": 5, "expires": "x"}, id="q2"))
    assert questions.answer("y") == Answer("q2", "yes")
    assert questions.answer("y") is None


# --- captions ---------------------------------------------------------------------------------------------------------


def test_captions_are_text_and_never_terminal_commands() -> None:
    out = io.StringIO()
    screen = Screen(out)
    screen.message(Message("user", "message", "partial", "what"))
    screen.message(Message("user", "message", content="what [bold]time[/bold] is it"))
    screen.message(Message("assistant", "message", start=True))
    screen.message(Message("assistant", "message", content="It is \x1b[31mnoon"))
    screen.message(Message("assistant", "message", content=" now.\u202e"))
    screen.message(Message("assistant", "message", end=True))
    screen.message(Message("assistant", "message", content="A whole one."))
    screen.message(Message("assistant", "message", content="Another."))
    screen.message(Message("server", "error", content="The model\x07 is away."))
    screen.question(Asked("q", "May I delete x?", code="rm x", effects=("deletes x",)))
    text = out.getvalue()
    lines = "01: It is [31mnoon now.\n01: A whole one.\n01: Another.\nThe model is away.\n"
    assert "You: what [bold]time[/bold] is it\n" + lines in text
    assert "rm x" in text
    assert "\x1b" not in text
    assert "\u202e" not in text


# --- commands, lines, keys --------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="Windows uses a loopback port instead of a Unix socket")
async def test_a_command_reaches_the_running_client_over_a_socket_of_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "c.sock"
    seen: list[tuple[str, str]] = []

    async def handle(command: str, argument: str) -> str:
        seen.append((command, argument))
        return "listening"

    control = Control(path, handle)
    await control.start()
    try:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert await asyncio.to_thread(send, path, "toggle") == "listening"
        assert await asyncio.to_thread(send, path, "say", "hello\nthere") == "listening"
        assert "commands are" in await asyncio.to_thread(send, path, "dance")
        with pytest.raises(ControlError, match="running already"):
            await Control(path, handle).start()
    finally:
        await control.close()
    assert seen == [("toggle", ""), ("say", "hello there")]
    with pytest.raises(ControlError, match="No client is running"):
        send(path, "toggle")


async def test_a_socket_that_a_crash_left_behind_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "c.sock"
    path.touch()

    async def handle(command: str, argument: str) -> str:
        return command

    control = Control(path, handle)
    await control.start()
    assert await asyncio.to_thread(send, path, "stop") == "stop"
    await control.close()
    assert not path.exists()


def test_the_toggle_command_without_a_client_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ZERO_ONE_HOME", str(tmp_path))
    assert main(["toggle"]) == 1
    assert "01-client" in capsys.readouterr().err


async def test_lines_come_from_any_file_and_the_last_needs_no_newline(tmp_path: Path) -> None:
    path = tmp_path / "typed.txt"
    path.write_bytes("one\r\ntwo ü\n\nthree".encode())
    lines: list[str] = []
    ended = asyncio.Event()
    with path.open("rb") as file:
        read_lines(file.fileno(), lines.append, ended.set)
        await asyncio.wait_for(ended.wait(), 60)
    assert lines == ["one", "two ü", "", "three"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays are a matter of X11 and Wayland")
def test_without_a_display_the_hotkey_says_what_works_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(HotkeyError, match="01-client toggle"):
        Hotkey("<f9>", lambda: None, lambda: None)
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    with pytest.raises(HotkeyError, match="Wayland"):
        Hotkey("<f9>", lambda: None, lambda: None)
