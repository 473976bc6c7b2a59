"""One device's conversation. It outlives connections: a device that comes back finds it as it was.

Events come in through ``handle`` and are dealt with at once, without waiting; whatever takes time is a task that the
conversation owns. What it is doing is derived from facts (somebody speaks, a question is open, sound plays, …) and
checked against the table in ``states``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any
from zlib import crc32

from zero_one.commands.base import Reply
from zero_one.conversation import phrases
from zero_one.conversation.announcer import Announcer
from zero_one.conversation.asking import OpenQuestion
from zero_one.conversation.audience import Audience
from zero_one.conversation.brain import Brain
from zero_one.conversation.hearing import Hearing
from zero_one.conversation.links import Link
from zero_one.conversation.mailbox import Mailbox, safe_name
from zero_one.conversation.mouth import Mouth
from zero_one.conversation.progress import Progress
from zero_one.conversation.questions import Questions
from zero_one.conversation.services import Services
from zero_one.conversation.spans import Spans
from zero_one.conversation.states import Doing, Machine
from zero_one.conversation.tasks import Tasks
from zero_one.conversation.turn import Turn
from zero_one.conversation.utterance import Utterance
from zero_one.interpreter.base import Decision, Question
from zero_one.interpreter.history import History
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

log = logging.getLogger(__name__)


class Conversation:
    """``attach`` a link, ``handle`` its events, ``detach`` it."""

    def __init__(self, device: str, services: Services, *, generation: int = 0) -> None:
        self.device = device
        self._services, self._clock = services, services.clock
        folder, name = services.folder, safe_name(device)
        self._closed = self._changing = False
        self._tasks = Tasks(device)
        self._turn: Turn | None = None
        self._mailbox = Mailbox(folder / f"{name}.json" if folder else None)
        self.history = History.load(folder / f"{name}.jsonl") if folder else History()
        self._audience = Audience(services.metrics, self._lost)
        self._machine = Machine(lambda state: self._audience.emit(State(state.value)))
        self._mouth = Mouth(device, services, self._audience, self.history, self.settle, generation)
        timeout_s = services.settings.approval.timeout_s
        self._questions = Questions(self._audience, self._mouth, self._clock, timeout_s, self.settle)
        self._announcer = Announcer(self._mailbox, self._audience, self._mouth, self.history, self._said)
        self._brain = Brain(services, self.history, self)
        recordings = folder.parent / "recordings" / name if folder and services.settings.debug else None
        self._hearing = Hearing(
            services,
            self._mailbox,
            self._audience,
            self._mouth,
            self.history,
            self._tasks,
            recordings,
            self._carry_out,
        )

    @property
    def state(self) -> Doing:
        return self._machine.now

    @property
    def generation(self) -> int:
        return self._mouth.queue.generation

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
        greeting: list[ServerEvent] = [Show(message) for message in self._questions.show_again()]
        if self._machine.now is not Doing.IDLE:
            # "Idle" goes without saying, and would tell an Open Interpreter client that its turn is complete.
            greeting.append(State(self._machine.now.value))
        self._audience.join(link, greeting)
        queue.rate = link.rate_out
        queue.resume()
        queue.expect_more(self._turn is not None and not self._turn.done)

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
        if self._audience.away:
            self._questions.refuse("the device went away")

    def _cut_off(self, utterance: Utterance) -> None:
        """The link broke while somebody spoke. A device that names its utterances sends it again; of others, what was
        said is all there is, and it is answered at their return."""
        if utterance.id is not None and utterance.released_at is None:
            self._cancelled()
        else:
            self._tail_closed()

    # --- events

    async def handle(self, event: DeviceEvent, link: Link | None = None) -> None:
        """Take one event of a device (on ``link``)."""
        with self._at_once():
            self._deal(event, link)

    def _deal(self, event: DeviceEvent, link: Link | None) -> None:
        match event:
            case Pcm() | Released() | TailClosed() | Cancelled() if self._hearing.elsewhere(link):
                pass  # what a connection still had of an utterance that a newer one took over
            case Pcm():
                self._hearing.feed(event.data)
            case Pressed():
                self._pressed(event.id, link)
            case Released():
                self._hearing.release(event.ago_ms)
            case TailClosed():
                self._tail_closed(link)
            case Cancelled():
                self._cancelled()
            case Typed():
                self._typed(event)
            case Stop():
                self._hush() if event.silence_only else self._stop()
            case Repeat():
                self._mouth.repeat(self._turn)
            case Answer():
                self._answered(event)
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

    def _pressed(self, ident: str | None, link: Link | None) -> None:
        if self._hearing.current is not None and self._hearing.elsewhere(link):
            # The device is back before its old connection was known to be dead.
            self._cut_off(self._hearing.current)
        if not self._hearing.press(ident):
            return
        question = self._questions.open
        early = question is not None and question.deaf
        silenced = self._mouth.speaking and not early
        if question is None:
            self._interrupt()
        elif not early:
            self._mouth.flush(self._turn)
        self._hearing.begin(ident, link, question, early=early, silenced=silenced)

    def _tail_closed(self, link: Link | None = None) -> None:
        if (sound := self._hearing.another()) is not None:
            self._pressed(None, link)
            self._hearing.feed(sound)
        if (taken := self._hearing.take()) is None:
            return
        utterance, spans = taken
        if utterance.question is None:
            self._begin(spans, lambda turn: self._hear(turn, utterance))
        elif utterance.early and utterance.bare(self._clock()):
            utterance.recognition.cancel()
        else:
            self._tasks.spawn(self._hear_answer(utterance, utterance.question, spans))

    def _cancelled(self) -> None:
        """What was being said is taken back; what it had spoken over is answered after all."""
        if self._hearing.cancel() and (text := self._hearing.left_over()):
            self._request(text)

    def _typed(self, event: Typed) -> None:
        check = crc32(event.text.encode("utf-8", "surrogatepass"))
        if self._mailbox.has(event.id, check):
            return
        self._mailbox.take(event.id, check)
        if not event.images and self._questions.typed(event.text):
            self.show(Message("user", "message", content=event.text))
            return
        self._questions.refuse("the user asked for something else")
        self._request(event.text, event.images)

    def _request(self, text: str, images: tuple[tuple[str, str], ...] = ()) -> None:
        self._interrupt()
        self._begin(Spans(self._clock, self._services.metrics), lambda turn: self._respond(turn, text, images))

    def _answered(self, event: Answer) -> None:
        question = self._questions.open
        if question is None or question.id != event.id:
            self._mouth.trouble("answer", phrases.NOT_OPEN)
        elif event.answer == "edit" and event.code is not None:
            self._questions.decide(True, code=event.code)
        else:
            self._questions.decide(event.answer == "yes", event.but)

    # --- silence and stop

    def _hush(self) -> None:
        """A tap: silence, or no to a question that has been heard; work goes on."""
        question = self._questions.open
        if question is None:
            self._mouth.flush(self._turn, over=True)
        elif not question.deaf:
            self._questions.decide(False)

    def _interrupt(self) -> None:
        """A new request begins: silence, and the model call is dropped. Running code goes on for now."""
        turn = self._turn
        self._mouth.flush(turn, over=True)
        if turn is not None and not turn.done:
            turn.over = True
            if turn.run is not None:
                turn.run.hush()

    def _stop(self) -> None:
        """Everything ends: speech, model, code, an open question."""
        working = self._brain.working or (self._turn is not None and not self._turn.done)
        self._questions.refuse("the user stopped everything")
        self._hearing.left_over()
        self._cancelled()
        self._interrupt()
        self._tasks.spawn(self._brain.end_work())
        self.show(Message("server", "status", content="stopped"))
        if working:
            self._mouth.notice(phrases.STOPPED)

    # --- turns

    def _begin(self, spans: Spans, work: Callable[[Turn], Coroutine[Any, Any, None]]) -> None:
        turn = self._turn = Turn(spans)
        self._mouth.begin()
        turn.task = self._tasks.spawn(self._guard(turn, work(turn)))
        progress = Progress(
            turn, self._mouth, self._services, lambda: self._audience.away or bool(self._questions.open)
        )
        self._tasks.spawn(progress.watch())

    async def _guard(self, turn: Turn, work: Coroutine[Any, Any, None]) -> None:
        """Run a turn so that whatever happens, it ends and the user is told."""
        try:
            await work
        except SpeechError as error:
            turn.failed = True
            self._mouth.trouble("hearing", str(error))
        except Exception:  # the last line of defence: logged, told, and the conversation goes on
            log.exception("a turn of %s failed", self.device)
            turn.failed = True
            self._mouth.trouble("turn", phrases.INTERNAL)
        finally:
            turn.done = True
            self._mouth.tell(turn, "", final=True)
            if turn is self._turn:
                self._mouth.queue.expect_more(False)
            end = "failed" if turn.failed else "interrupted" if turn.over else "done"
            self._services.metrics.turns.labels(end).inc()
            self.settle()
        if "first_clause" not in turn.spans.ms:
            turn.spans.log(self.device)
        if not turn.over:
            self.show(Message("server", "status", content="complete", id=turn.id))
        await self._save()

    async def _hear(self, turn: Turn, utterance: Utterance) -> None:
        if text := await self._hearing.request(turn, utterance):
            await self._respond(turn, text, ())

    def _carry_out(self, text: str) -> bool:
        """Do a command that was spoken over: with a quicker ear it would have been done before the next press."""
        if not self._brain.commanded(text):
            return False
        turn = Turn(Spans(self._clock, self._services.metrics))
        turn.task = self._tasks.spawn(self._guard(turn, self._respond(turn, text, ())))
        return True

    async def _hear_answer(self, utterance: Utterance, question: OpenQuestion, spans: Spans) -> None:
        """What was said while a question was open."""
        try:
            text = (await utterance.recognition.finish()).text.strip()
        except SpeechError as error:
            self._mouth.trouble("hearing", str(error))
            return
        with self._at_once():
            if self._questions.spoken(question, text, early=utterance.early):
                if text:
                    self.show(Message("user", "message", content=text))
            elif self._questions.open is not None:
                self._stop()
            else:
                self._interrupt()
                self._begin(spans, lambda turn: self._respond(turn, text, ()))

    async def _respond(self, turn: Turn, text: str, images: tuple[tuple[str, str], ...]) -> None:
        self.show(Message("user", "message", content=text, id=turn.id))
        await self._services.prepared()
        await self._brain.answer(turn, text, images)

    # --- what an answer needs (brain.Stage)

    def show(self, message: Message) -> None:
        self._audience.show(message)

    def tell(self, turn: Turn, text: str, *, final: bool = False) -> None:
        self._mouth.tell(turn, text, final=final)

    def trouble(self, where: str, text: str, *, shown: bool = False) -> None:
        self._mouth.trouble(where, text, shown=shown)

    async def ask(self, turn: Turn, question: Question) -> Decision:
        if turn.over:
            return Decision(False, reason="the user began something else")
        return await self._questions.ask(question)

    async def effect(self, turn: Turn, reply: Reply) -> None:
        if reply.effect in ("stop", "cancel"):
            self._questions.refuse("the user stopped everything")
            await self._brain.end_work()
        self._mouth.effect(turn, reply)

    def settle(self) -> None:
        """Derive what is going on, tell the devices of a change, and speak up when there is room for it."""
        if self._closed or self._changing:
            return
        turn = self._turn
        if self._hearing.held:
            state = Doing.LISTENING
        elif self._questions.open is not None:
            state = Doing.ASKING
        elif self._mouth.speaking:
            state = Doing.SPEAKING
        elif self._brain.acting:
            state = Doing.ACTING
        elif (turn is not None and not turn.done) or self._hearing.current is not None:
            state = Doing.THINKING
        else:
            state = Doing.IDLE
        self._machine.to(state)
        if state is Doing.IDLE:
            self._announcer.next()

    # --- house-keeping

    async def announce(self, text: str) -> None:
        """Speak up now, when there is room, or when the device is back; a restart does not lose it."""
        self._mailbox.waiting.append(text)
        await self._save_mailbox()
        self.settle()

    def _said(self) -> None:
        if not self._closed:
            self._tasks.spawn(self._save())
            self.settle()

    async def _save(self) -> None:
        await self.history.saved()
        if self.history.notice:
            notice, self.history.notice = self.history.notice, ""
            self._mouth.trouble("history", notice)
        await self._save_mailbox()

    async def _save_mailbox(self) -> None:
        try:
            await self._mailbox.save()
        except OSError as error:
            self._mouth.trouble("history", phrases.NOT_SAVED.format(reason=error.strerror or error))

    async def close(self) -> None:
        """End the conversation: its work is stopped, its memory saved. Every task is gone afterwards."""
        if self._closed:
            return
        self._questions.refuse("the server is stopping")
        self._hearing.left_over()
        self._cancelled()
        self._mouth.flush(self._turn, over=True)
        self._closed = True
        await self._brain.close()
        await self._mouth.queue.close()
        await self._tasks.close()
        await self.history.saved()
        await self._save_mailbox()
        await self._audience.drain(1.0)
