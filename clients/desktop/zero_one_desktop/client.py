"""The desktop client: button, microphone, link, loudspeaker and terminal put together."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from collections import deque
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from zero_one.audio.devices import MIC_RATE, AudioDeviceError, Microphone
from zero_one.audio.earcon import earcon
from zero_one.audio.files import WavMicrophone
from zero_one.audio.formats import SoundFileError
from zero_one.identity.device import device_id
from zero_one.protocol.events import (
    DeviceEvent,
    Flush,
    Opener,
    Repeat,
    SetVolume,
    Show,
    SpeechEnd,
    SpeechPcm,
    SpeechStart,
    State,
    Stop,
    VolumeTo,
)
from zero_one.protocol.light import ClientEvent, ClientSide, Received, Welcome
from zero_one_desktop.asking import Asking
from zero_one_desktop.button import TAP_MS, Begin, Button, Cancel, End, Held, Meaning, Taps
from zero_one_desktop.consent import Press
from zero_one_desktop.control import Control, ControlError
from zero_one_desktop.equipment import open_microphone, open_speaker
from zero_one_desktop.hotkey import Hotkey, HotkeyError
from zero_one_desktop.keys import Keys
from zero_one_desktop.lines import read_lines, readable_stdin
from zero_one_desktop.link import Link
from zero_one_desktop.options import ClientOptions
from zero_one_desktop.outbox import Outbox
from zero_one_desktop.places import control_path, state_dir
from zero_one_desktop.player import Player
from zero_one_desktop.preroll import PreRoll
from zero_one_desktop.screen import Screen
from zero_one_desktop.target import Target, TargetError, find_target
from zero_one_desktop.vault import SystemKeyring

log = logging.getLogger(__name__)

FEATURES = ("captions", "typed", "approvals", "volume", "state", "played", "flush", "announce")
_REPORT_EVERY_S = 0.25


class Client:
    """One running client. ``run`` returns the exit status."""

    def __init__(self, options: ClientOptions, screen: Screen | None = None) -> None:
        self.options = options
        self._screen = screen or Screen(quiet=options.quiet)
        self._outbox = Outbox()
        self._asking = Asking(self._screen, lambda: self._player.left_ms, self._long_enough)
        self._early: bytearray | None = None  # a press before the question was heard, and what was said since
        self._early_timer: asyncio.TimerHandle | None = None
        self._to_a_question = False  # the last tap was no gesture for idle times
        self._preroll = PreRoll(options.pre_roll_ms, MIC_RATE)
        self._button = Button(options.mode, debounce_ms=options.debounce_ms, grace_ms=options.release_grace_ms)
        self._button_timer: asyncio.TimerHandle | None = None
        self._report_timer: asyncio.TimerHandle | None = None
        self._talking = False
        self._assistant = "idle"
        self._own_microphone: Microphone | None = None  # while a recording stands in for it
        self._script: deque[WavMicrophone | str] = deque()
        self._asked = False  # something of ours was said since the last answer
        self._status = 0
        self._over = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._told_down: set[str] = set()  # why there is no connection, as far as the user knows

    async def run(self) -> int:
        """Until Ctrl-C, the end of what was to be said, or a cancellation. Gives the exit status."""
        folder = self.options.state_dir or state_dir()
        try:
            target = await asyncio.to_thread(self._find_target, folder)
            self._speaker = open_speaker(self.options, self._screen.note)
            self._script.extend(WavMicrophone(path, self._recording_over) for path in self.options.wav)
            self._script.extend(self.options.say)
            self._microphone = open_microphone(self.options, self._heard, self._screen.note)
        except (TargetError, AudioDeviceError, SoundFileError, OSError) as problem:
            self._screen.trouble(str(problem))
            return 2
        self._player = Player(self._speaker)
        name = self.options.device or device_id(folder)
        self._link = Link(
            target,
            lambda floor: ClientSide(name, kind="desktop", features=FEATURES, token=target.token, floor=floor),
            on_event=self._said,
            on_up=self._up,
            on_down=self._down,
        )
        control = await self._start_control()
        hotkeys = self._start_hotkeys()
        if self.options.typed and (stdin := readable_stdin()) is not None:
            read_lines(stdin, self._typed, self._no_more_lines)
        linking = self._spawn(self._link.run())
        if self.options.ends_by_itself:
            self._spawn(self._give_up())
        try:
            await self._over.wait()
        finally:
            for hotkey in hotkeys:
                hotkey.stop()
            if control is not None:
                await control.close()
            linking.cancel()
            self._asking.close()
            for timer in (self._button_timer, self._report_timer, self._early_timer):
                if timer is not None:
                    timer.cancel()
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            for microphone in (self._microphone, self._own_microphone):
                if microphone is not None:
                    microphone.close()
            self._speaker.close()
        return self._status

    def _find_target(self, folder: Path) -> Target:
        """In a worker thread: a keyring may take its time. Raises TargetError."""
        keys, options = Keys(folder, SystemKeyring()), self.options
        target = find_target(options.server_url, keys, token=options.token, pin=options.pin, insecure=options.insecure)
        for lost in keys.lost:
            self._screen.trouble(lost)
        return target

    def _start_hotkeys(self) -> list[Hotkey]:
        """The talk key, and the one that stops everything."""
        if self.options.ends_by_itself:
            return []
        loop = asyncio.get_running_loop()

        def tell(call: Callable[..., None], *arguments: Any) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(call, *arguments)

        talk, stop = self.options.hotkey, self.options.stop_hotkey
        started: list[Hotkey] = []
        try:
            if talk is not None:
                button = self._button
                edges = (lambda: tell(self._key, button.down), lambda: tell(self._key, button.up))
                started.append(Hotkey(talk, *edges))
                started[-1].start()
                how = "Hold" if self.options.mode == "hold" else "Tap"
                what = "to talk, or type" if self._microphone is not None else "to answer questions; type to talk"
                self._screen.note(f"{how} {talk} {what}. Ctrl-C ends.")
            if talk is not None and stop is not None:
                started.append(Hotkey(stop, lambda: tell(self._stop_everything), lambda: None))
                started[-1].start()
        except HotkeyError as problem:
            self._screen.note(str(problem))
        return started

    async def _start_control(self) -> Control | None:
        if self.options.ends_by_itself and self.options.control is None:
            return None
        control = Control(self.options.control or control_path(), self._commanded)
        try:
            await control.start()
        except (ControlError, OSError) as problem:
            self._screen.note(str(problem))
            return None
        return control

    # --- the button ------------------------------------------------------------------------------------------------

    def _key(self, edge: Callable[[float], list[Meaning]]) -> None:
        self._meant(edge(_now_ms()))
        if self._button_timer is not None:
            self._button_timer.cancel()
            self._button_timer = None
        if (deadline := self._button.deadline) is not None:
            loop = asyncio.get_running_loop()
            self._button_timer = loop.call_at(deadline / 1000, self._key, self._button.tick)

    def _meant(self, meanings: list[Meaning]) -> None:
        for meaning in meanings:
            match meaning:
                case Begin(ago_ms):
                    self._begin(ago_ms, by="hand" if self.options.mode == "hold" else "voice", pressed=True)
                case End(ago_ms):
                    self._end(ago_ms, by_hand=self.options.mode == "hold")
                case Held(ago_ms):
                    self._agree(ago_ms)
                case Cancel():
                    self._tapped()
                case Taps(count):
                    self._taps(count)

    def _begin(self, ago_ms: int = 0, *, by: Opener = "hand", pressed: bool = False) -> None:
        """Something is to be said. ``pressed``: by a key, which may answer a question."""
        worth = self._asking.press(ago_ms, rises=by == "hand") if pressed else Press.PLAIN
        if worth is not Press.EARLY:
            self._hush()
        if not self._capture(needed=worth is Press.PLAIN):
            self._button.talking = False
            return
        if worth is Press.EARLY:
            # A short press now was meant for something else; only who goes on holding has something to say.
            self._early = bytearray(self._preroll.take())
            self._early_timer = asyncio.get_running_loop().call_later(TAP_MS / 1000, self._say, by)
        else:
            self._say(by)

    def _hush(self) -> None:
        """Silence first, then listen: nothing that is still playing may be heard in what is said."""
        self._send(*self._player.hush())
        self._link.side.hush()

    def _say(self, by: Opener) -> None:
        self._hush()
        self._talking = self._asked = True
        self._outbox.begin(secrets.token_hex(8), by)
        if not self._outbox.linked:
            self._link.hurry()
            self._screen.note("The server cannot be reached just now; what you say is kept and sent when it is back.")
        self._outbox.feed(bytes(self._early) if self._early is not None else self._preroll.take())
        self._early = None
        self._pump()

    def _tapped(self) -> None:
        """The press was too short for words."""
        self._talking = False
        self._listen_no_more()
        if self._early is not None:
            self._no_longer_early()
            self._to_a_question = True
            self._screen.note("Not heard as an answer: the question was not over yet.")
            return
        self._send(*self._outbox.cancel())
        self._to_a_question = self._asking.let_go()
        if self._to_a_question:
            # No, at once; what is said right after is the server's to take as the but.
            self._send(Stop(silence_only=True))

    def _taps(self, count: int) -> None:
        answered, self._to_a_question = self._to_a_question, False
        if count >= 3:
            self._stop_everything()
        elif not answered:
            self._send(Stop(silence_only=True) if count == 1 else Repeat())

    def _agree(self, ago_ms: int) -> bool:
        """The button went up; whether it was held for a yes. What was sent of the silence is taken back."""
        answer = self._asking.release(ago_ms)
        if answer is None:
            return False
        self._button.talking = self._talking = False
        self._send(answer, *self._outbox.cancel())
        return True

    def _long_enough(self) -> None:
        """Held for two seconds: letting go agrees, speaking says something else."""
        self._player.tone(earcon("release"))

    def _no_longer_early(self) -> None:
        self._early = None
        if self._early_timer is not None:
            self._early_timer.cancel()
            self._early_timer = None

    def _stop_everything(self) -> None:
        self._hush()
        self._send(Stop(everything=True))
        self._screen.note("Stop everything." if self._outbox.linked else "The server cannot be reached to be stopped.")

    def _capture(self, *, needed: bool = True) -> bool:
        """Make sure that something listens. Not ``needed``: a hand can answer without being heard."""
        try:
            if self._microphone is None:
                raise AudioDeviceError("There is no microphone; type instead.")
            self._microphone.open(self._heard)
        except AudioDeviceError as problem:
            if needed:
                self._screen.trouble(str(problem))
                self._player.tone(earcon("error"))
            return not needed
        return True

    def _heard(self, pcm: bytes) -> None:
        self._asking.feed(pcm)
        if self._early is not None:
            self._early += pcm
        elif not self._talking:
            self._preroll.feed(pcm)
        elif not self._outbox.feed(pcm):
            self._screen.note("That was five minutes; the rest is not taken.")
            self._switch()
        else:
            self._pump()

    def _end(self, ago_ms: int = 0, *, by_hand: bool = False) -> None:
        """``by_hand``: a button was held until now, which may have been an answer."""
        self._talking = False
        self._listen_no_more()
        if self._early is not None:
            self._no_longer_early()
            return
        if by_hand and self._agree(ago_ms):
            return
        self._asking.let_go()
        self._outbox.end(ago_ms)
        if not self._outbox.linked:
            # The server plays its own tone; without it nobody would know that anything was heard.
            self._player.tone(earcon("release"))
        self._pump()

    def _listen_no_more(self) -> None:
        if self._microphone is not None and (
            isinstance(self._microphone, WavMicrophone) or not self.options.pre_roll_ms
        ):
            self._microphone.close()

    # --- scripted words: recordings and --say ----------------------------------------------------------------------

    async def _advance(self) -> None:
        """Say the next thing that was given at the start, or end when all of it is answered and heard."""
        await self._speaker.drained()
        if not self._script:
            if self.options.ends_by_itself:
                self._over.set()
            return
        following = self._script.popleft()
        if isinstance(following, str):
            self._ask(following)
            return
        self._own_microphone, self._microphone = self._own_microphone or self._microphone, following
        self._switch()

    def _recording_over(self) -> None:
        if self._talking:
            self._switch()
        self._microphone, self._own_microphone = self._own_microphone, None

    async def _give_up(self) -> None:
        await asyncio.sleep(self.options.timeout_s)
        self._screen.trouble(f"No complete answer came within {self.options.timeout_s:g} s.")
        self._status = 1
        self._over.set()

    # --- typed text and commands -----------------------------------------------------------------------------------

    def _typed(self, line: str) -> None:
        if (answer := self._asking.questions.answer(line)) is not None:
            if isinstance(answer, str):
                self._screen.note(answer)
                return
            self._send(answer)
            self._asking.answered()
        elif line.strip():
            self._ask(line.strip())

    def _ask(self, text: str) -> None:
        self._hush()
        self._asked = True
        self._outbox.type(secrets.token_hex(8), text)
        if not self._outbox.linked:
            self._link.hurry()
            self._screen.note("The server cannot be reached just now; this is kept and sent when it is back.")
        self._pump()

    def _no_more_lines(self) -> None:
        """Ctrl-D at a terminal ends the client; the end of a pipe only ends the typing."""
        descriptor = readable_stdin()
        if descriptor is not None and os.isatty(descriptor):
            self._over.set()

    async def _commanded(self, command: str, argument: str) -> str:
        if command == "say":
            self._typed(argument)
            return "said"
        if command == "stop":
            self._stop_everything()
            return "stopped" if self._outbox.linked else "The server cannot be reached to be stopped."
        if command in ("silence", "repeat"):
            self._send(*self._player.hush() if command != "repeat" else ())
            self._send(Repeat() if command == "repeat" else Stop(silence_only=True))
            return command
        if command == "toggle" or (command == "press") != self._talking:
            self._switch(by_hand=command != "toggle")
        return "listening" if self._talking else "sent"

    def _switch(self, *, by_hand: bool = False) -> None:
        """Begin or end without the key: a command, or a recording. ``by_hand``: somebody holds something down."""
        for meaning in self._button.toggle(_now_ms()):
            if isinstance(meaning, Begin):
                self._begin(by="hand" if by_hand else "voice", pressed=by_hand)
            else:
                self._end(by_hand=by_hand)

    # --- the link --------------------------------------------------------------------------------------------------

    def _up(self, level: int) -> None:
        if self._told_down:
            self._screen.note("The server is back.")
        self._told_down.clear()
        self._outbox.link_up(confirms=level > 0)
        self._pump()
        if self._script and not self._asked:
            self._spawn(self._advance())

    def _down(self, why: str) -> None:
        self._outbox.link_down()
        self._assistant = "idle"
        self._asking.down()
        if why not in self._told_down:
            self._screen.note(f"No connection to the server: {why}. Trying again.")
        self._told_down.add(why)

    def _said(self, event: ClientEvent) -> None:
        match event:
            case Welcome(ready=ready, state=state):
                self._assistant = state
                if not ready:
                    self._screen.note("The server is still warming up; you can speak already.")
            case SpeechStart():
                self._player.start(event)
                self._report_later()
            case SpeechPcm():
                self._player.feed(event)
            case SpeechEnd():
                self._player.finish(event)
                if not self._link.side.level:
                    # A server of the first 01 tells no states: the end of its speech is all there is to know.
                    self._turn_over()
            case Flush(generation):
                self._player.flush(generation)
            case Show(message):
                if message.type == "approval":
                    self._asking.show(message)
                else:
                    self._screen.message(message)
            case State(name):
                self._state(name)
            case VolumeTo(percent):
                self._player.volume = percent
                self._send(SetVolume(percent))
            case Received(ident):
                self._outbox.confirmed(ident)
                self._pump()
            case _:
                pass

    def _state(self, name: str) -> None:
        before, self._assistant = self._assistant, name
        self._outbox.state(name)
        self._screen.state(name)
        self._asking.state(name)
        self._pump()
        if name == "idle" and before != "idle":
            self._turn_over()

    def _turn_over(self) -> None:
        """The assistant has nothing more to say to what was said."""
        if self._asked and not self._outbox.waiting and not self._talking:
            self._asked = False
            self._spawn(self._advance())

    def _pump(self) -> None:
        self._send(*self._outbox.next_events())

    def _send(self, *events: DeviceEvent) -> None:
        for event in events:
            self._link.send(self._link.side.encode(event))

    def _report_later(self) -> None:
        if self._report_timer is None:
            self._report_timer = asyncio.get_running_loop().call_later(_REPORT_EVERY_S, self._report)

    def _report(self) -> None:
        self._report_timer = None
        self._send(*self._player.reports())
        if self._player.playing or self._link.side.speaking is not None:
            self._report_later()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._reaped)
        return task

    def _reaped(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (problem := task.exception()) is not None:
            log.error("the client broke", exc_info=problem)
            self._screen.trouble(f"The client broke: {problem}. Please report this; start it again to go on.")
            self._status = 1
            self._over.set()


async def run_client(options: ClientOptions) -> int:
    """Run a client until it ends (see ``ClientOptions``) or is cancelled. Gives the exit status."""
    return await Client(options).run()


def _now_ms() -> float:
    return asyncio.get_running_loop().time() * 1000
