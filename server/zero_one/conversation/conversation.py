"""One device's conversation. It outlives connections: a device that comes back finds it as it was.

Events come in through ``handle`` and are dealt with at once, without waiting; whatever takes time is a task that the
conversation owns. What it is doing is derived from facts (somebody speaks, a question is open, sound plays, …) and
checked against the table in ``states``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from zlib import crc32

from zero_one.conversation import phrases
from zero_one.conversation.announcer import Announcer
from zero_one.conversation.audience import Audience
from zero_one.conversation.brain import Brain
from zero_one.conversation.desk import Desk
from zero_one.conversation.front import Front
from zero_one.conversation.hearing import Hearing, LeftOver
from zero_one.conversation.links import Link
from zero_one.conversation.mailbox import Slip, safe_name
from zero_one.conversation.memory import Memory
from zero_one.conversation.mouth import Mouth
from zero_one.conversation.parts import Parts
from zero_one.conversation.presence import Presence
from zero_one.conversation.questions import Meaning, Questions
from zero_one.conversation.replies import Replies
from zero_one.conversation.services import Services
from zero_one.conversation.spans import Spans
from zero_one.conversation.states import Doing, Machine
from zero_one.conversation.stopper import Stopper
from zero_one.conversation.stopping import what_stops
from zero_one.conversation.tasks import Tasks
from zero_one.conversation.turn import Turn
from zero_one.conversation.turns import Turns
from zero_one.conversation.utterance import Utterance
from zero_one.identity.access import Caller
from zero_one.protocol.events import (
    Answer,
    Cancelled,
    DeviceEvent,
    Hello,
    Pcm,
    Played,
    Pressed,
    Released,
    Repeat,
    SetVolume,
    State,
    Stop,
    TailClosed,
    Typed,
)
from zero_one.protocol.lmc import Message


class Conversation:
    """``attach`` a link, ``handle`` its events, ``detach`` it. ``desk`` is what it shares with the other ones."""

    def __init__(self, device: str, services: Services, *, desk: Desk | None = None, generation: int = 0) -> None:
        self.device = device
        self._services, self._clock = services, services.clock
        self._desk, self._own_desk = desk or Desk(services.note), desk is None
        self._closed = self._changing = False
        self._tasks = Tasks(device)
        self._audience = Audience(services.metrics, self._lost)
        self._memory = Memory(
            services.folder,
            device,
            self._audience.emit,
            lambda text: self._mouth.trouble("history", text),
            lambda: self._mouth.queue.generation,
        )
        self.history = self._memory.history
        generation = self._memory.mailbox.start_at(generation)
        self._machine = Machine(lambda state: self._audience.emit(State(state.value)))
        self._mouth = Mouth(device, services, self._audience, self.history, self.settle, generation)
        self.questions = Questions(device, services, self._audience, self._mouth, self._desk, self.settle)
        self._announcer = Announcer(self._memory.mailbox, self._audience, self._mouth, self.history, self._said)
        front = Front(
            device, self._audience, self._mouth, self.questions, self._memory, self._tasks, self.announce, self.settle
        )
        self._brain = Brain(services, self.history, front)
        self._turns = Turns(
            device,
            services,
            self._audience,
            self._mouth,
            self._memory,
            self._tasks,
            lambda: self._audience.away or bool(self.questions.open),
            self.settle,
        )
        folder = services.folder
        recordings = folder.parent / "recordings" / safe_name(device) if folder and services.settings.debug else None
        self._hearing = Hearing(
            services, self._memory, self._audience, self._mouth, self._tasks, recordings, self._carry_out
        )
        self._parts = Parts(
            device,
            services,
            self._desk,
            self._tasks,
            self._audience,
            self._memory,
            self._mouth,
            self.questions,
            self._turns,
            self._brain,
            self._hearing,
        )
        self._stopper = Stopper(self._parts, self._cancelled, self._at_once)
        self._replies = Replies(self._parts, self._obey)
        self._presence = Presence(self._parts, self._machine, self._cancelled, self._tail_closed)
        self._desk.enter(self)

    @property
    def state(self) -> Doing:
        return self._machine.now

    @property
    def generation(self) -> int:
        return self._mouth.queue.generation

    @property
    def approvers(self) -> bool:
        return self._audience.approvers

    def show(self, message: Message) -> None:
        self._audience.show(message)

    def show_approvers(self, message: Message) -> None:
        self._audience.show_approvers(message)

    @property
    def unused(self) -> bool:
        """Nothing is going on, nobody is there, and nothing waits to be said."""
        return self._audience.away and self._machine.now is Doing.IDLE and not self._mouth.queue.waiting

    # --- links

    async def attach(self, link: Link) -> None:
        """A device is there. It is told what it missed, and hears what could not be said."""
        with self._at_once():
            self._presence.welcome(link)

    async def detach(self, link: Link) -> None:
        """A link is gone. Work goes on; what would be said waits for the device's return."""
        self._lost(link)

    def _lost(self, link: Link) -> None:
        with self._at_once():
            self._presence.goodbye(link)

    def reconsider(self) -> None:
        """What somebody here may do has changed: perhaps nobody may answer any more."""
        self._desk.unattended()

    # --- events

    async def handle(self, event: DeviceEvent, link: Link | None = None) -> None:
        """Take one event of a device (on ``link``; without one nobody knows who it is, and it may only speak)."""
        if self._closed:
            return  # the server is stopping, and the connection does not know it yet
        with self._at_once():
            self._deal(event, link)

    def _deal(self, event: DeviceEvent, link: Link | None) -> None:
        match event:
            case Pcm() | Released() | TailClosed() | Cancelled() if self._hearing.elsewhere(link):
                pass  # what a connection still had of an utterance that a newer one took over
            case Pcm():
                if self._hearing.feed(event.data):
                    self._mouth.notice(phrases.LONG)
                    self._tail_closed()
            case Pressed():
                self._pressed(event, link)
            case Released():
                self._hearing.release(event.ago_ms)
            case TailClosed():
                self._tail_closed(link)
            case Cancelled():
                self._cancelled()
            case Typed():
                self._typed(event, link)
            case Stop(everything=True):
                self._stop_everything(self._parts.caller(link))
            case Stop():
                self._hush(link) if event.silence_only else self._stopper.stop()
            case Repeat():
                if not self.questions.again():
                    self._mouth.repeat(self._turns.now)
            case Answer():
                self._replies.answered(event, link)
            case Played():
                # What another one than the newest says it plays is older, or nothing that it was sent.
                if link in (None, self._audience.voice):
                    self._mouth.queue.played(event.generation, event.played_ms)
            case SetVolume():
                self._mouth.turned(event.percent)
            case Hello():
                pass

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """What happens inside is one change: no state in between is told, and nothing speaks up in the middle."""
        before, self._changing = self._changing, True
        try:
            yield
        finally:
            self._changing = before
            self.settle()

    # --- speaking and typing

    def _pressed(self, event: Pressed, link: Link | None) -> None:
        caller = self._parts.caller(link)
        if not caller.may("speak"):
            self._parts.wrong(link, phrases.MAY_NOT_SPEAK)
            return
        if self._hearing.current is not None and self._hearing.elsewhere(link):
            # The device is back before its old connection was known to be dead.
            self._presence.cut_off(self._hearing.current)
        if not self._hearing.press(event.id):
            return
        question = self._replies.question_for(caller)
        early = question is not None and question.open and question.deaf
        silenced = self._mouth.speaking and not early
        if question is None:
            self._turns.interrupt()
        elif not early:
            self._mouth.flush(self._turns.now)
        if question is not None and not question.open:
            self.questions.begun()
        self._hearing.begin(event, link, question, early=early, silenced=silenced)

    def _tail_closed(self, link: Link | None = None) -> None:
        if (sound := self._hearing.another()) is not None:
            self._pressed(Pressed(), link)
            self._hearing.feed(sound)
        if (taken := self._hearing.take()) is None:
            return
        utterance, spans, slips = taken
        caller = self._parts.caller(utterance.link)
        if utterance.question is None:
            self._turns.begin(Turn(spans, caller=caller, slips=slips), lambda turn: self._hear(turn, utterance))
        elif utterance.bare(self._clock()) and utterance.by == "hand":
            self._replies.touched(utterance, slips)
        else:
            self._tasks.spawn(self._replies.hear(utterance, utterance.question, slips))

    def _cancelled(self) -> None:
        """What was being said is taken back; what it had spoken over is answered after all."""
        if self._hearing.cancel():
            self.questions.no_afterthought()
            left = self._hearing.left_over()
            if left.text:
                self._request(left)

    def _typed(self, event: Typed, link: Link | None) -> None:
        check = crc32(event.text.encode("utf-8", "surrogatepass"))
        mailbox, caller = self._memory.mailbox, self._parts.caller(link)
        if event.id is not None and mailbox.has(event.id, check):
            self._memory.confirm([Slip(event.id, check)])
            return
        slip = mailbox.take(event.id, check)
        slips = [slip] if slip is not None else []
        if wrong := self._parts.not_taken(event, caller):
            self._parts.wrong(link, wrong)
            self._tasks.spawn(self._memory.save(slips))
            return
        self._parts.note("typed", caller, event.text)
        if event.images:
            self._obey("request", caller, event.text, slips, event.images)
        else:
            self._replies.typed(event.text, caller, slips)

    def _obey(
        self, meaning: Meaning, caller: Caller, text: str, slips: list[Slip], images: tuple[tuple[str, str], ...] = ()
    ) -> None:
        with self._at_once():
            if meaning == "everything":
                self._stop_everything(caller)
            elif meaning == "stop":
                self._stopper.stop()
            else:
                self.questions.refuse("the user asked for something else")
                self._request(LeftOver(text, caller, slips), images)

    def _request(self, what: LeftOver, images: tuple[tuple[str, str], ...] = ()) -> None:
        self._turns.interrupt()
        turn = Turn(Spans(self._clock, self._services.metrics), caller=what.caller, slips=what.slips)
        self._turns.begin(turn, lambda turn: self._respond(turn, what.text, images))

    def _hush(self, link: Link | None) -> None:
        """A tap: silence, or no to an open question; work goes on."""
        if not self._replies.tapped(link):
            self._mouth.flush(self._turns.now, over=True)

    def _stop_everything(self, caller: Caller) -> None:
        self._desk.begin_to_stop(caller.name or self.device, self)

    async def halt(self, by: str, *, here: bool) -> list[str]:
        """See ``desk.Member``."""
        return await self._stopper.halt(by, here=here)

    # --- turns

    async def _hear(self, turn: Turn, utterance: Utterance) -> None:
        if text := await self._hearing.request(turn, utterance):
            self._parts.note("heard", turn.caller, text)
            await self._respond(turn, text, ())

    def _carry_out(self, left: LeftOver) -> bool:
        """Do a command that was spoken over: with a quicker ear it would have been done before the next press."""
        if not self._brain.commanded(left.text):
            return False
        self._parts.note("heard", left.caller, left.text)
        turn = Turn(Spans(self._clock, self._services.metrics), caller=left.caller, slips=left.slips)
        self._turns.beside(turn, lambda turn: self._respond(turn, left.text, ()))
        return True

    async def _respond(self, turn: Turn, text: str, images: tuple[tuple[str, str], ...]) -> None:
        self._audience.show(Message("user", "message", content=text, id=turn.id))
        if not images and what_stops(text) == "everything":
            self._stop_everything(turn.caller or Caller(self.device))
            return
        await self._services.prepared()
        await self._brain.answer(turn, text, images)

    def settle(self) -> None:
        """Derive what is going on, tell the devices of a change, and speak up when there is room for it."""
        if self._closed or self._changing:
            return
        if self._hearing.held:
            state = Doing.LISTENING
        elif self.questions.open is not None:
            state = Doing.ASKING
        elif self._mouth.speaking:
            state = Doing.SPEAKING
        elif self._brain.acting:
            state = Doing.ACTING
        elif self._turns.busy or self._hearing.current is not None:
            state = Doing.THINKING
        else:
            state = Doing.IDLE
        self._machine.to(state)
        if state is Doing.IDLE:
            self._announcer.next()

    # --- house-keeping

    async def announce(self, text: str) -> None:
        """Speak up now, when there is room, or when the device is back; a restart does not lose it."""
        self._memory.mailbox.waiting.append(text)
        await self._memory.save()
        self.settle()

    async def forget(self, since: float, until: float) -> int:
        """Forget what was said between two times (seconds since 1970), also what a device that is away has missed.
        Returns how many entries of the history went."""
        count = self.history.forget(since, until)
        self._audience.forget()
        self._memory.mailbox.forget()
        await self._memory.save()
        return count

    def _said(self) -> None:
        if not self._closed:
            self._tasks.spawn(self._memory.save())
            self.settle()

    async def close(self) -> None:
        """End the conversation: its work is stopped, its memory saved. Every task is gone afterwards."""
        if self._closed:
            return
        self.questions.refuse("the server is stopping")
        self._hearing.left_over()
        self._cancelled()
        self._mouth.flush(self._turns.now, over=True)
        self._closed = True
        unanswered = dict(self._memory.mailbox.open)
        self._desk.leave(self)
        if self._own_desk:
            await self._desk.close()
        await self._brain.close()
        await self._mouth.queue.close()
        await self._tasks.close()
        self._memory.mailbox.open = unanswered
        await self._memory.save()
        await self._audience.drain(1.0)
