"""One device's conversation. It outlives connections: a device that comes back finds it as it was.

Events come in through ``handle`` and are dealt with at once, without waiting; whatever takes time is a task that the
conversation owns. What it is doing is derived from facts (somebody speaks, a question is open, sound plays, …) and
checked against the table in ``states``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from zlib import crc32

from zero_one.commands.base import Reply
from zero_one.conversation import phrases
from zero_one.conversation.announcer import Announcer
from zero_one.conversation.asking import OpenQuestion
from zero_one.conversation.audience import Audience
from zero_one.conversation.brain import Brain
from zero_one.conversation.desk import Desk
from zero_one.conversation.hearing import Hearing, LeftOver
from zero_one.conversation.links import Link
from zero_one.conversation.mailbox import Slip, safe_name
from zero_one.conversation.memory import Memory
from zero_one.conversation.mouth import Mouth
from zero_one.conversation.questions import Meaning, Questions, Said
from zero_one.conversation.services import Services
from zero_one.conversation.spans import Spans
from zero_one.conversation.states import Doing, Machine
from zero_one.conversation.stopping import what_stops
from zero_one.conversation.tasks import Tasks
from zero_one.conversation.turn import Turn
from zero_one.conversation.turns import Turns
from zero_one.conversation.utterance import Utterance
from zero_one.identity.access import Caller
from zero_one.interpreter.base import Decision, Question
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
    ServerEvent,
    SetVolume,
    Show,
    State,
    Stop,
    TailClosed,
    Typed,
)
from zero_one.protocol.lmc import Message
from zero_one.speech.stt.base import SpeechError

_LATE_CHARS = 200


class Conversation:
    """``attach`` a link, ``handle`` its events, ``detach`` it. ``desk`` is what it shares with the other ones."""

    def __init__(self, device: str, services: Services, *, desk: Desk | None = None, generation: int = 0) -> None:
        self.device = device
        self._services, self._clock = services, services.clock
        self._desk, self._own_desk = desk or Desk(services.note), desk is None
        self._closed = self._changing = False
        self._tasks = Tasks(device)
        self._audience = Audience(services.metrics, self._lost)
        self._memory = Memory(services.folder, device, self._audience.emit, lambda text: self.trouble("history", text))
        self.history = self._memory.history
        self._machine = Machine(lambda state: self._audience.emit(State(state.value)))
        self._mouth = Mouth(device, services, self._audience, self.history, self.settle, generation)
        self.questions = Questions(device, services, self._audience, self._mouth, self._desk, self.settle)
        self._announcer = Announcer(self._memory.mailbox, self._audience, self._mouth, self.history, self._said)
        self._brain = Brain(services, self.history, self)
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

    @property
    def unused(self) -> bool:
        """Nothing is going on, nobody is there, and nothing waits to be said."""
        return self._audience.away and self._machine.now is Doing.IDLE and not self._mouth.queue.waiting

    # --- links

    async def attach(self, link: Link) -> None:
        """A device is there. It is told what it missed, and hears what could not be said."""
        with self._at_once():
            self._welcome(link)

    def _welcome(self, link: Link) -> None:
        queue = self._mouth.queue
        queue.pause()
        asked = self.questions.show_again()
        if link.caller.may("approve") and not link.caller.keyless:
            asked += self._desk.asked_elsewhere(self.questions)
        greeting: list[ServerEvent] = [Show(message) for message in asked]
        if self._machine.now is not Doing.IDLE:
            # "Idle" goes without saying, and would tell an Open Interpreter client that its turn is complete.
            greeting.append(State(self._machine.now.value))
        self._audience.join(link, greeting)
        queue.rate = link.rate_out
        queue.resume()
        queue.expect_more(self._turns.busy)

    async def detach(self, link: Link) -> None:
        """A link is gone. Work goes on; what would be said waits for the device's return."""
        self._lost(link)

    def _lost(self, link: Link) -> None:
        with self._at_once():
            self._goodbye(link)

    def _goodbye(self, link: Link) -> None:
        had_voice = self._audience.voice is link
        if not self._audience.leave(link):
            return
        utterance = self._hearing.current
        if utterance is not None and (self._audience.away or utterance.link is link):
            self._cut_off(utterance)
        if had_voice:
            self._mouth.queue.pause()
            if (heir := self._audience.voice) is not None:
                self._mouth.queue.rate = heir.rate_out
                self._mouth.queue.resume()
        self._desk.unattended()
        if self._audience.away:
            self.questions.unheard()

    def _cut_off(self, utterance: Utterance) -> None:
        """The link broke while somebody spoke. A device that names its utterances sends it again; of others, what was
        said is all there is, and it is answered at their return."""
        if utterance.id is not None and utterance.released_at is None:
            self._cancelled()
        else:
            self._tail_closed()

    # --- events

    async def handle(self, event: DeviceEvent, link: Link | None = None) -> None:
        """Take one event of a device (on ``link``; without one nobody knows who it is, and it may only speak)."""
        with self._at_once():
            self._deal(event, link)

    def _deal(self, event: DeviceEvent, link: Link | None) -> None:
        match event:
            case Pcm() | Released() | TailClosed() | Cancelled() if self._hearing.elsewhere(link):
                pass  # what a connection still had of an utterance that a newer one took over
            case Pcm():
                self._hearing.feed(event.data)
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
                self._stop_everything(self._caller(link))
            case Stop():
                self._hush(link) if event.silence_only else self._stop()
            case Repeat():
                self._mouth.repeat(self._turns.now)
            case Answer():
                self._answered(event, link)
            case Played():
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

    def _caller(self, link: Link | None) -> Caller:
        return link.caller if link is not None else Caller(self.device)

    def _wrong(self, link: Link | None, text: str) -> None:
        """Tell one device what it may not, or did wrong."""
        self._audience.tell(link, Message("server", "error", content=text))

    # --- speaking and typing

    def _pressed(self, event: Pressed, link: Link | None) -> None:
        caller = self._caller(link)
        if not caller.may("speak"):
            self._wrong(link, phrases.MAY_NOT_SPEAK)
            return
        if self._hearing.current is not None and self._hearing.elsewhere(link):
            # The device is back before its old connection was known to be dead.
            self._cut_off(self._hearing.current)
        if not self._hearing.press(event.id):
            return
        question = self.questions.open or (self.questions.tapped if caller.may("approve") else None)
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
        caller = self._caller(utterance.link)
        if utterance.question is None:
            self._turns.begin(Turn(spans, caller=caller, slips=slips), lambda turn: self._hear(turn, utterance))
        elif utterance.bare(self._clock()) and utterance.by == "hand":
            self._touched(utterance, caller, slips)
        else:
            self._tasks.spawn(self._hear_answer(utterance, utterance.question, spans, slips))

    def _touched(self, utterance: Utterance, caller: Caller, slips: list[Slip]) -> None:
        """The button was only tapped while a question was open: a no, or nothing before it can have been heard."""
        utterance.recognition.cancel()
        self.questions.no_afterthought()
        if not utterance.early and utterance.question is self.questions.open and not self.questions.tap(caller):
            self._wrong(utterance.link, phrases.MAY_NOT_APPROVE)
        self._tasks.spawn(self._memory.save(slips))

    def _cancelled(self) -> None:
        """What was being said is taken back; what it had spoken over is answered after all."""
        if self._hearing.cancel():
            self.questions.no_afterthought()
            left = self._hearing.left_over()
            if left.text:
                self._request(left)

    def _typed(self, event: Typed, link: Link | None) -> None:
        check = crc32(event.text.encode("utf-8", "surrogatepass"))
        mailbox, caller = self._memory.mailbox, self._caller(link)
        if event.id is not None and mailbox.has(event.id, check):
            self._memory.confirm([Slip(event.id, check)])
            return
        slip = mailbox.take(event.id, check)
        slips = [slip] if slip is not None else []
        if wrong := _not_taken(event, caller):
            self._wrong(link, wrong)
            self._tasks.spawn(self._memory.save(slips))
            return
        self._note("typed", caller, event.text)
        meaning: Meaning = "request" if event.images else self.questions.typed(event.text, caller)
        if meaning == "request":
            self.questions.refuse("the user asked for something else")
            self._request(LeftOver(event.text, caller, slips), event.images)
            return
        self.show(Message("user", "message", content=event.text))
        self._tasks.spawn(self._memory.save(slips))
        self._obey(meaning, caller)

    def _request(self, what: LeftOver, images: tuple[tuple[str, str], ...] = ()) -> None:
        self._turns.interrupt()
        turn = Turn(Spans(self._clock, self._services.metrics), caller=what.caller, slips=what.slips)
        self._turns.begin(turn, lambda turn: self._respond(turn, what.text, images))

    def _answered(self, event: Answer, link: Link | None) -> None:
        """An answer by a device; the question may be another conversation's."""
        questions = self._desk.with_open(event.id)
        own = questions is None or questions is self.questions
        caller = self._caller(link)
        if not caller.may("approve") or caller.keyless:
            self._wrong(link, phrases.MAY_NOT_APPROVE)
        elif questions is None:
            self.trouble("answer", phrases.NOT_OPEN)
        elif wrong := questions.answered(event, caller, own=own):
            self._wrong(link, wrong)

    # --- silence and stop

    def _hush(self, link: Link | None) -> None:
        """A tap: silence, or no to an open question; work goes on."""
        if self.questions.open is None:
            self._mouth.flush(self._turns.now, over=True)
        elif not self.questions.tap(self._caller(link)):
            self._wrong(link, phrases.MAY_NOT_APPROVE)

    def _obey(self, meaning: Meaning, caller: Caller) -> None:
        if meaning == "everything":
            self._stop_everything(caller)
        elif meaning == "stop":
            self._stop()

    def _stop(self) -> None:
        """All that this conversation does ends: speech, model, code, an open question."""
        working = self._brain.working or self._turns.busy
        ended = self._end_turns("the user stopped everything", here=True)
        self.show(Message("server", "status", content="stopped"))
        if working:
            self._mouth.notice(phrases.STOPPED)
        self._tasks.spawn(self._finish_stop(ended))

    async def _finish_stop(self, ended: list[Turn]) -> None:
        await self._brain.end_work()
        await self._stopped(ended)

    async def _stopped(self, ended: list[Turn]) -> None:
        for turn in ended:
            self.show(Message("server", "status", content="complete", id=turn.id))
        await self._memory.save([slip for turn in ended for slip in turn.slips])

    def _end_turns(self, reason: str, *, here: bool) -> list[Turn]:
        """What can end at once does: no sound, no question, nothing heard or waited for any more."""
        self.questions.refuse(reason)
        left = self._hearing.left_over()
        utterance = self._hearing.current
        if here or (utterance is not None and utterance.released_at is not None):
            self._cancelled()
        self._turns.interrupt()
        ended = self._turns.stop()
        for turn in ended[:1]:
            turn.slips += left.slips
        return ended

    def _stop_everything(self, caller: Caller) -> None:
        self._desk.begin_to_stop(caller.name or self.device, self)

    async def halt(self, by: str, *, here: bool) -> list[str]:
        """See ``desk.Member``."""
        going_on = {
            "a question": self.questions.open is not None,
            "speech": self._mouth.speaking,
            "running code": self._brain.acting,
            "an answer in the making": (self._brain.working and not self._brain.acting) or self._turns.busy,
        }
        what = [name for name, there in going_on.items() if there]
        with self._at_once():
            ended = self._end_turns(f"{by} stopped everything", here=here)
            self.show(Message("server", "status", content="stopped"))
            if here and what:
                self._mouth.notice(phrases.STOPPED)
            elif what:
                self._mouth.notice(phrases.STOPPED_BY.format(by=by))
        await self._brain.stop()
        waiting = [turn.task for turn in ended if turn.task is not None and not turn.task.done()]
        if waiting:
            await asyncio.wait(waiting)
        await self._stopped(ended)
        return [f"{self.device}: {name}" for name in what]

    # --- turns

    async def _hear(self, turn: Turn, utterance: Utterance) -> None:
        if text := await self._hearing.request(turn, utterance):
            self._note("heard", turn.caller, text)
            await self._respond(turn, text, ())

    def _carry_out(self, left: LeftOver) -> bool:
        """Do a command that was spoken over: with a quicker ear it would have been done before the next press."""
        if not self._brain.commanded(left.text):
            return False
        self._note("heard", left.caller, left.text)
        turn = Turn(Spans(self._clock, self._services.metrics), caller=left.caller, slips=left.slips)
        self._turns.beside(turn, lambda turn: self._respond(turn, left.text, ()))
        return True

    async def _hear_answer(self, utterance: Utterance, question: OpenQuestion, spans: Spans, slips: list[Slip]) -> None:
        """What was said while a question was open."""
        caller = self._caller(utterance.link)
        try:
            transcript = await utterance.recognition.finish()
        except SpeechError as error:
            self.questions.no_afterthought()
            self.trouble("hearing", str(error))
            return
        text = transcript.text.strip()
        self._note("heard", caller, text)
        with self._at_once():
            said = Said(text, caller, utterance.early, utterance.held, transcript.rejected)
            meaning = self.questions.spoken(question, said)
            if meaning == "request":
                self._turns.interrupt()
                turn = Turn(spans, caller=caller, slips=slips)
                self._turns.begin(turn, lambda turn: self._respond(turn, text, ()))
                return
            if text:
                self.show(Message("user", "message", content=text))
            self._obey(meaning, caller)
        await self._memory.save(slips)

    async def _respond(self, turn: Turn, text: str, images: tuple[tuple[str, str], ...]) -> None:
        self.show(Message("user", "message", content=text, id=turn.id))
        if not images and what_stops(text) == "everything":
            self._stop_everything(turn.caller or Caller(self.device))
            return
        await self._services.prepared()
        await self._brain.answer(turn, text, images)

    def _note(self, kind: str, caller: Caller | None, text: str) -> None:
        if text:
            by = caller.name or caller.device if caller is not None else self.device
            self._services.note(kind, self.device, {"text": text, "by": by})

    # --- what an answer needs (brain.Stage)

    def show(self, message: Message) -> None:
        self._audience.show(message)

    def show_approvers(self, message: Message) -> None:
        self._audience.show_approvers(message)

    def tell(self, turn: Turn, text: str, *, final: bool = False) -> None:
        self._mouth.tell(turn, text, final=final)

    def trouble(self, where: str, text: str, *, shown: bool = False) -> None:
        self._mouth.trouble(where, text, shown=shown)

    async def ask(self, turn: Turn, question: Question) -> Decision:
        if turn.over:
            return Decision(False, reason="the user began something else")
        return await self.questions.ask(question)

    async def effect(self, turn: Turn, reply: Reply) -> None:
        if reply.effect in ("stop", "cancel"):
            self.questions.refuse("the user stopped everything")
            await self._brain.end_work()
        self._mouth.effect(turn, reply)

    def accepted(self, turn: Turn) -> None:
        if turn.slips:
            slips, turn.slips = turn.slips, []
            self._tasks.spawn(self._memory.save(slips))

    def finished_late(self, turn: Turn) -> None:
        if self._closed:
            return
        output = " ".join((turn.late or "").split())
        if len(output) > _LATE_CHARS:
            output = "… " + output[-_LATE_CHARS:].split(" ", 1)[-1]
        words = phrases.DONE_LATE.format(output=output) if output else phrases.DONE_LATE_SILENT
        self._tasks.spawn(self.announce(words))

    def history_told(self, trouble: str) -> None:
        self._memory.told(trouble)

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
        self._desk.leave(self)
        if self._own_desk:
            await self._desk.close()
        await self._brain.close()
        await self._mouth.queue.close()
        await self._tasks.close()
        await self._memory.save()
        await self._audience.drain(1.0)


def _not_taken(event: Typed, caller: Caller) -> str:
    """Why a typed message is not taken from this device, or nothing."""
    if not caller.may("speak"):
        return phrases.MAY_NOT_SPEAK
    local = not caller.paired and not caller.keyless
    return phrases.NO_PATHS if not local and any(format_ == "path" for format_, _ in event.images) else ""
