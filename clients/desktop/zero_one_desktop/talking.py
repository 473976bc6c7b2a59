"""From the fingers and the microphone to what is sent: the button, what it means, and what is heard meanwhile."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from typing import Any

from zero_one.audio.devices import MIC_RATE, AudioDeviceError, Microphone
from zero_one.audio.earcon import earcon
from zero_one.audio.files import WavMicrophone
from zero_one.protocol.events import DeviceEvent, Opener, Repeat, Stop
from zero_one_desktop.asking import Asking
from zero_one_desktop.button import TAP_MS, Begin, Button, Cancel, End, Held, Meaning, Taps
from zero_one_desktop.consent import Press
from zero_one_desktop.hotkey import Hotkey, HotkeyError
from zero_one_desktop.link import Link
from zero_one_desktop.options import ClientOptions
from zero_one_desktop.outbox import Outbox
from zero_one_desktop.player import Player
from zero_one_desktop.preroll import PreRoll
from zero_one_desktop.screen import Screen


class Talking:
    """The part of a client that somebody has in their hand. Link, player and microphone are set before it is used."""

    _link: Link
    _player: Player
    _microphone: Microphone | None

    def __init__(self, options: ClientOptions, screen: Screen) -> None:
        self.options = options
        self._screen = screen
        self._outbox = Outbox()
        self._asking = Asking(self._screen, lambda: self._player.left_ms, self._long_enough)
        self._preroll = PreRoll(options.pre_roll_ms, MIC_RATE)
        self._button = Button(options.mode, debounce_ms=options.debounce_ms, grace_ms=options.release_grace_ms)
        self._button_timer: asyncio.TimerHandle | None = None
        self._early: bytearray | None = None  # a press before the question was heard, and what was said since
        self._early_timer: asyncio.TimerHandle | None = None
        self._to_a_question = False  # the last tap was no gesture for idle times
        self._talking = False
        self._asked = False  # something of ours was said since the last answer

    def _fall_silent(self) -> None:
        """No timer is left behind."""
        self._asking.close()
        for timer in (self._button_timer, self._early_timer):
            if timer is not None:
                timer.cancel()

    async def _start_hotkeys(self, started: list[Hotkey]) -> None:
        """The talk key, and the one that stops everything; ``started`` gets each of them, for the caller to stop."""
        if self.options.ends_by_itself:
            return
        loop = asyncio.get_running_loop()

        def tell(call: Callable[..., None], *arguments: Any) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(call, *arguments)

        talk, stop = self.options.hotkey, self.options.stop_hotkey
        try:
            if talk is not None:
                button = self._button
                # The moment is taken where the key is seen: a loop that was held up must not make a hold of a tap.
                edges = (lambda: tell(self._key, button.down, _now_ms(loop)),
                         lambda: tell(self._key, button.up, _now_ms(loop)))  # fmt: skip
                started.append(Hotkey(talk, *edges))
                await started[-1].start()
                how = "Hold" if self.options.mode == "hold" else "Tap"
                what = "to talk, or type" if self._microphone is not None else "to answer questions; type to talk"
                self._screen.note(f"{how} {talk} {what}. Ctrl-C ends.")
            if talk is not None and stop is not None:
                started.append(Hotkey(stop, lambda: tell(self._stop_everything), lambda: None))
                await started[-1].start()
        except HotkeyError as problem:
            self._screen.note(str(problem))

    # --- the button ------------------------------------------------------------------------------------------------

    def _key(self, edge: Callable[[float], list[Meaning]], at_ms: float | None = None) -> None:
        self._meant(edge(_now_ms() if at_ms is None else at_ms))
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

    def _switch(self, *, by_hand: bool = False) -> None:
        """Begin or end without the key: a command, or a recording. ``by_hand``: somebody holds something down."""
        for meaning in self._button.toggle(_now_ms()):
            if isinstance(meaning, Begin):
                self._begin(by="hand" if by_hand else "voice", pressed=by_hand)
            else:
                self._end(by_hand=by_hand)

    def _pump(self) -> None:
        self._send(*self._outbox.next_events())

    def _send(self, *events: DeviceEvent) -> None:
        for event in events:
            self._link.send(self._link.side.encode(event))


def _now_ms(loop: asyncio.AbstractEventLoop | None = None) -> float:
    return (loop or asyncio.get_running_loop()).time() * 1000
