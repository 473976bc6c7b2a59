"""Questions on this client: shown, heard, and answered by the button. Typed answers are in ``answers``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from zero_one.audio.vad import SpeechTracker, VoiceDetector
from zero_one.protocol.events import Answer
from zero_one.protocol.lmc import Message
from zero_one_desktop.answers import Questions
from zero_one_desktop.button import HOLD_MS
from zero_one_desktop.consent import Consent, Press
from zero_one_desktop.screen import Screen

_TICK_S = 0.1
# Often enough to be in time, seldom enough not to run through what somebody is typing.
_REMIND_S = (30, 10)
# Our own tone at two seconds comes back through the microphone, and is nothing that anybody said.
_ECHO_MS = 600
# What webrtcvad takes for speech most easily: who spoke is never taken for one who was silent.
_CAREFUL = 0


class Asking:
    """``left_ms`` tells how much of the speech that was received is still to be heard; ``reached`` is called when a
    hold is long enough to agree."""

    def __init__(self, screen: Screen, left_ms: Callable[[], float], reached: Callable[[], None]) -> None:
        self._screen, self._left_ms, self._reached = screen, left_ms, reached
        self.questions = Questions()
        self._consent = Consent()
        self._detector: VoiceDetector | None = None
        self._tracker = SpeechTracker()
        self._spoke = False
        self._toned_at: float | None = None
        self._speaking = False
        self._heard_timer: asyncio.TimerHandle | None = None
        self._rise_timer: asyncio.TimerHandle | None = None
        self._countdown: asyncio.TimerHandle | None = None

    def close(self) -> None:
        """No timer is left behind."""
        self.questions.forget()
        self._gone()

    # --- what the server says

    def show(self, message: Message) -> None:
        """An approval message: a question, or the end of one."""
        asked = self.questions.show(message)
        if asked is not None:
            self._screen.question(asked)
            if asked.own:
                self._consent.ask(asked.id)
                self._stop_rising()
                self.settle()
            return
        content = message.content if isinstance(message.content, dict) else {}
        by, reason = str(content.get("by") or ""), str(content.get("reason") or "")
        answered = "Agreed" if content.get("answer") == "yes" else "Not agreed"
        self._screen.note(f"{answered}{f', by {by}' if by else ''}{f': {reason}' if reason else ''}.")
        self._follow()

    def state(self, name: str) -> None:
        """The assistant's state: while it speaks, the question is not over."""
        self._speaking = name == "speaking"
        self.settle()

    def settle(self) -> None:
        """Find out when the question has been heard to its end; call it again whenever more sound has come."""
        if self._heard_timer is not None:
            self._heard_timer.cancel()
            self._heard_timer = None
        if not self._consent.waits or self._speaking:
            return
        left = self._left_ms()
        if left <= 0:
            self._consent.heard(_now())
            self._count_down()
        else:
            self._heard_timer = asyncio.get_running_loop().call_later(left / 1000, self.settle)

    def answered(self) -> None:
        """Something typed may have closed it."""
        self._follow()

    def down(self) -> None:
        """The link is gone: the question will be shown again, or is over."""
        self.questions.forget()
        self._follow()

    # --- the button

    def press(self, ago_ms: float, *, rises: bool) -> Press:
        """The button went down that long before. ``rises``: how long it is held is shown."""
        worth = self._consent.press(_now() - ago_ms)
        if worth is Press.COUNTS:
            self._detector, self._tracker = VoiceDetector(mode=_CAREFUL), SpeechTracker()
            self._spoke, self._toned_at = False, None
            if rises:
                self._rise()
        return worth

    def feed(self, pcm: bytes) -> None:
        """What is heard while the button is down."""
        if self._detector is None or self._spoke:
            return
        echo = self._toned_at is not None and _now() - self._toned_at < _ECHO_MS
        decisions = self._detector.process(pcm)
        if echo:
            return
        for decision in decisions:
            self._tracker.process(decision)
        self._spoke = self._tracker.speaking

    def release(self, ago_ms: float) -> Answer | None:
        """The button went up that long before. A yes where it was held long enough and nothing was said; words are the
        server's to judge."""
        held = self._consent.release(_now() - ago_ms)
        self._stop_rising()
        self._detector = None
        own = self.questions.own
        if own is None or held < HOLD_MS or self._spoke:
            return None
        self.questions.close(own.id)
        self._follow()
        return Answer(own.id, "yes", hand="hold", held_ms=int(held))

    def let_go(self) -> bool:
        """The press agreed to nothing. Whether there is a question that it may have been meant for."""
        self._consent.release(_now())
        self._stop_rising()
        self._detector = None
        return self.questions.own is not None

    # --- inside

    def _follow(self) -> None:
        if self.questions.own is None:
            self._gone()

    def _gone(self) -> None:
        self._consent.close()
        self._stop_rising()
        for timer in (self._heard_timer, self._countdown):
            if timer is not None:
                timer.cancel()
        self._heard_timer = self._countdown = None

    def _rise(self) -> None:
        done = self._consent.risen(_now())
        self._screen.rising(done)
        if done < 1:
            self._rise_timer = asyncio.get_running_loop().call_later(_TICK_S, self._rise)
        elif self._toned_at is None:
            self._toned_at = _now()
            self._reached()

    def _stop_rising(self) -> None:
        if self._rise_timer is not None:
            self._rise_timer.cancel()
            self._rise_timer = None

    def _count_down(self) -> None:
        own = self.questions.own
        if own is None or not own.expires_s:
            return
        loop = asyncio.get_running_loop()
        ends = loop.time() + own.expires_s

        def remind(moments: tuple[int, ...]) -> None:
            if self.questions.own is own:
                self._screen.remaining(moments[0])
                wait(moments[1:])

        def wait(moments: tuple[int, ...]) -> None:
            if moments:
                self._countdown = loop.call_at(ends - moments[0], remind, moments)

        wait(tuple(left for left in _REMIND_S if left < own.expires_s))


def _now() -> float:
    return asyncio.get_running_loop().time() * 1000
