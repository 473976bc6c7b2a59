"""Devices come and go: what one that comes is told, and what becomes of what one that goes was just saying."""

from __future__ import annotations

from collections.abc import Callable

from zero_one.conversation.links import Link
from zero_one.conversation.parts import Parts
from zero_one.conversation.states import Doing, Machine
from zero_one.conversation.utterance import Utterance
from zero_one.protocol.events import ServerEvent, Show, State


class Presence:
    """``cancel`` takes back what is being said, ``close`` takes it as it is."""

    def __init__(self, parts: Parts, machine: Machine, cancel: Callable[[], None], close: Callable[[], None]) -> None:
        self._its, self._machine, self._cancel, self._close = parts, machine, cancel, close

    def welcome(self, link: Link) -> None:
        its, queue = self._its, self._its.mouth.queue
        queue.pause()
        asked = its.questions.show_again()
        if link.caller.may("approve") and not link.caller.keyless:
            asked += its.desk.asked_elsewhere(its.questions)
        greeting: list[ServerEvent] = [Show(message) for message in asked]
        if self._machine.now is not Doing.IDLE:
            # "Idle" goes without saying, and would tell an Open Interpreter client that its turn is complete.
            greeting.append(State(self._machine.now.value))
        its.audience.join(link, greeting)
        queue.rate = link.rate_out
        queue.resume()
        queue.expect_more(its.turns.busy)

    def goodbye(self, link: Link) -> None:
        its = self._its
        had_voice = its.audience.voice is link
        if not its.audience.leave(link):
            return
        utterance = its.hearing.current
        if utterance is not None and (its.audience.away or utterance.link is link):
            self.cut_off(utterance)
        if had_voice:
            its.mouth.queue.pause()
            if (heir := its.audience.voice) is not None:
                its.mouth.queue.rate = heir.rate_out
                its.mouth.queue.resume()
        its.desk.unattended()
        if its.audience.away:
            its.questions.unheard()

    def cut_off(self, utterance: Utterance) -> None:
        """The link broke while somebody spoke. A device that names its utterances sends it again; of others, what was
        said is all there is, and it is answered at their return."""
        if utterance.id is not None and utterance.released_at is None:
            self._cancel()
        else:
            self._close()
