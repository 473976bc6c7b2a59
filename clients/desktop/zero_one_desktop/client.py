"""The desktop client: what was said, link, loudspeaker and terminal put together."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from collections import deque
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from zero_one.audio.devices import AudioDeviceError, Microphone
from zero_one.audio.files import WavMicrophone
from zero_one.audio.formats import SoundFileError
from zero_one.identity.device import device_id
from zero_one.protocol.events import (
    Flush,
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
from zero_one_desktop.control import Control, ControlError
from zero_one_desktop.equipment import open_microphone, open_speaker
from zero_one_desktop.hotkey import Hotkey
from zero_one_desktop.keys import Keys
from zero_one_desktop.lines import read_lines, readable_stdin
from zero_one_desktop.link import Link
from zero_one_desktop.options import ClientOptions
from zero_one_desktop.places import control_path, state_dir
from zero_one_desktop.player import Player
from zero_one_desktop.screen import Screen
from zero_one_desktop.talking import Talking
from zero_one_desktop.target import Target, TargetError, find_target
from zero_one_desktop.vault import SystemKeyring

log = logging.getLogger(__name__)

FEATURES = ("captions", "typed", "approvals", "volume", "state", "played", "flush", "announce")
_REPORT_EVERY_S = 0.25


class Client(Talking):
    """One running client. ``run`` returns the exit status."""

    def __init__(self, options: ClientOptions, screen: Screen | None = None) -> None:
        super().__init__(options, screen or Screen(quiet=options.quiet))
        self._report_timer: asyncio.TimerHandle | None = None
        self._assistant = "idle"
        self._own_microphone: Microphone | None = None  # while a recording stands in for it
        self._script: deque[WavMicrophone | str] = deque()
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
        if self.options.typed and (stdin := readable_stdin()) is not None:
            read_lines(stdin, self._typed, self._no_more_lines)
        linking = self._spawn(self._link.run())
        if self.options.ends_by_itself:
            self._spawn(self._give_up())
        hotkeys: list[Hotkey] = []
        try:
            await self._start_hotkeys(hotkeys)
            await self._over.wait()
        finally:
            for hotkey in hotkeys:
                hotkey.stop()
            if control is not None:
                await control.close()
            linking.cancel()
            self._fall_silent()
            if self._report_timer is not None:
                self._report_timer.cancel()
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
        target = find_target(
            options.server_url, keys, token=options.token, pin=options.pin, insecure=options.insecure, here=folder
        )
        for lost in keys.lost:
            self._screen.trouble(lost)
        return target

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
                if answer:
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
            if self._told_down:  # not while the first connection is being made
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
        down = self._talking or self._early is not None
        if command == "toggle" or (command == "press") != down:
            self._switch(by_hand=command != "toggle")
        return "listening" if self._talking else "sent"

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
