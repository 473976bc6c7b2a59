"""One device's conversation. It outlives connections: a device that comes back finds it as it was.

Events come in through ``handle`` and are dealt with at once, without waiting; whatever takes time is a task that the
conversation owns. What it does is derived from facts (somebody speaks, a question is open, sound plays, …) and checked
against the table in ``states``.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from zero_one.commands.base import Reply
from zero_one.conversation import phrases
from zero_one.conversation.answers import read_answer
from zero_one.conversation.asking import OpenQuestion
from zero_one.conversation.brain import Brain
from zero_one.conversation.heard import heard_of
from zero_one.conversation.links import Link, Outlet
from zero_one.conversation.mailbox import Mailbox, safe_name
from zero_one.conversation.recordings import keep_recording
from zero_one.conversation.services import Services
from zero_one.conversation.spans import Spans
from zero_one.conversation.speech import Line, SpeechQueue, Unheard
from zero_one.conversation.states import Doing, Machine
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
    SpeechEnd,
    SpeechPcm,
    SpeechStart,
    State,
    Stop,
    TailClosed,
    Typed,
    VolumeTo,
)
from zero_one.protocol.lmc import Message
from zero_one.speech.stt.base import HearOptions, SpeechError
from zero_one.speech.tts.base import Voice

log = logging.getLogger(__name__)

PROGRESS_AFTER_S = (8.0, 20.0, 40.0)
"""Seconds of silence before "still working" is said; the last one repeats."""
_MISSED = 400
"""Messages kept for a device that is away."""


class Conversation:
    """``attach`` a link, ``handle`` its events, ``detach`` it. Speech goes to the newest link, the rest to all."""

    def __init__(self, device: str, services: Services, *, generation: int = 0) -> None:
        self.device = device
        self._services, self._clock = services, services.clock
        settings = services.settings
        folder = services.folder
        name = safe_name(device)
        self._mailbox = Mailbox(folder / f"{name}.json" if folder else None)
        self.history = History.load(folder / f"{name}.jsonl") if folder else History()
        self._recordings: Path | None = folder.parent / "recordings" / name if folder and settings.debug else None
        self._outlets: list[Outlet] = []
        self._missed: deque[Message] = deque(maxlen=_MISSED)
        self._machine = Machine(lambda state: self._emit(State(state.value)))
        self._rate, self._language = settings.speak.rate, settings.hear.language
        self._speech = SpeechQueue(
            services.synthesizer,
            services.speakable,
            self._emit,
            self._clock,
            voice=lambda: Voice(settings.speak.voice, self._language, self._rate),
            on_change=self.settle,
            on_error=self._voice_failed,
            fallback=services.fallback,
            generation=generation,
            paused=True,
        )
        self._speech.volume = settings.speak.volume
        self._brain = Brain(services, self.history, self)
        self._utterance: Utterance | None = None
        self._deaf = False
        self._question: OpenQuestion | None = None
        self._turn: Turn | None = None
        self._announcing: Line | None = None
        self._last_said = ""
        self._before = ""
        self._volume = settings.speak.volume
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    # --- links

    @property
    def away(self) -> bool:
        return not self._outlets

    @property
    def state(self) -> Doing:
        return self._machine.now

    @property
    def generation(self) -> int:
        return self._speech.generation

    @property
    def idle(self) -> bool:
        """Nothing is going on and nobody is there."""
        return self.away and self._machine.now is Doing.IDLE and not self._speech.waiting

    async def attach(self, link: Link) -> None:
        """A device is there. It is told what it missed, and hears what could not be said."""
        was_away = self.away
        self._outlets.append(Outlet(link, self._lost, self._services.metrics.slow.inc))
        self._services.metrics.links.inc()
        self._speech.pause()
        self._speech.rate = link.rate_out
        if was_away:
            missed, self._missed = self._missed, deque(maxlen=_MISSED)
            for message in missed:
                self._emit(Show(message))
        elif self._question is not None:
            self._emit(Show(self._question.message()))
        self._outlets[-1].put(State(self._machine.now.value))
        self._speech.resume()
        if self._speech.waiting:
            self._speech.expect_more(self._turn is not None and not self._turn.done)
        self.settle()

    async def detach(self, link: Link) -> None:
        """A link is gone. Work goes on; what would be said waits for the device's return."""
        self._lost(link)

    def _lost(self, link: Link) -> None:
        outlet = next((outlet for outlet in self._outlets if outlet.link is link), None)
        if outlet is None:
            return
        had_voice = outlet is self._outlets[-1]
        self._outlets.remove(outlet)
        outlet.cancel()
        self._services.metrics.links.dec()
        if self._utterance is not None and (self.away or self._utterance.link is link):
            self._cut_off()
        if had_voice:
            self._speech.pause()
        if self.away:
            if self._question is not None:
                self._question.settle(Decision(False, reason="the device went away"))
        elif had_voice:
            self._speech.rate = self._outlets[-1].link.rate_out
            self._speech.resume()
        self.settle()

    def _cut_off(self) -> None:
        """The link broke while somebody spoke. A device that names its utterances sends it again; of others, what was
        said is all there is, and it is answered at their return."""
        assert self._utterance is not None
        if self._utterance.id is not None and self._utterance.released_at is None:
            self._cancelled()
        else:
            if self._utterance.released_at is None:
                self._released(0)
            self._tail_closed()

    def _emit(self, event: ServerEvent) -> None:
        if isinstance(event, SpeechStart | SpeechPcm | SpeechEnd):
            for outlet in self._outlets[-1:]:
                outlet.put(event)
            return
        if isinstance(event, Show) and self.away:
            self._missed.append(event.message)
        for outlet in self._outlets:
            outlet.put(event)

    # --- events

    async def handle(self, event: DeviceEvent, link: Link | None = None) -> None:
        """Take one event of a device (on ``link``)."""
        match event:
            case Pcm():
                if self._utterance is not None and not self._deaf:
                    self._utterance.feed(event.data)
            case Pressed():
                self._pressed(event.id, link)
            case Released():
                self._released(event.ago_ms)
            case TailClosed():
                self._tail_closed()
            case Cancelled():
                self._cancelled()
            case Typed():
                self._typed(event)
            case Stop():
                self._hush() if event.silence_only else self._stop()
            case Repeat():
                self._repeat()
            case Answer():
                self._answered(event)
            case Played():
                self._speech.played(event.generation, event.played_ms)
            case SetVolume():
                # The device turned its own volume: what we send stays as it is.
                log.debug("%s set its volume to %d", self.device, event.percent)
            case Hello():
                pass
        self.settle()

    def _pressed(self, ident: str | None, link: Link | None) -> None:
        self._deaf = self._mailbox.has(ident)
        if self._deaf:
            # It was taken before the link broke; the device only did not know.
            return
        if self._utterance is not None:
            # The release was lost on the way: what was said before is a part of it.
            return
        question = self._question if self._question is not None and self._question.open else None
        early = question is not None and question.deaf
        silenced = self._speech.speaking and not early
        if question is None:
            self._interrupt()
        elif not early:
            self._flush()
        hear = self._services.settings.hear
        recognition = self._services.recognizer.start(
            HearOptions(hear.language, hear.languages, hear.hotwords), None if early else self._partial
        )
        self._utterance = Utterance(recognition, ident, self._clock(), link, question, early, silenced)
        if self._recordings is not None:
            self._utterance.recorded = bytearray()

    def _partial(self, text: str) -> None:
        if text:
            self.show(Message("user", "message", "partial", text))

    def _released(self, ago_ms: int) -> None:
        utterance = self._utterance
        if utterance is None or self._deaf or utterance.released_at is not None:
            return
        utterance.released_at = self._clock()
        utterance.spans = Spans(self._clock, self._services.metrics, ago_ms=ago_ms)
        if self._services.earcon and not utterance.early and not utterance.bare(utterance.released_at):
            self._speech.say(Line("", pcm=self._services.earcon, keep=False))
            self._speech.expect_more(True)

    def _tail_closed(self) -> None:
        utterance = self._utterance
        if utterance is None or self._deaf:
            self._deaf = False
            return
        self._utterance = None
        if utterance.released_at is None:
            utterance.released_at = self._clock()
        spans = utterance.spans or Spans(self._clock, self._services.metrics)
        self._mailbox.take(utterance.id)
        if utterance.recorded:
            self._spawn(self._record(bytes(utterance.recorded)))
        if utterance.question is not None:
            if utterance.early and utterance.bare(self._clock()):
                utterance.recognition.cancel()
            else:
                self._spawn(self._hear_answer(utterance, spans))
            return
        self._begin(spans, lambda turn: self._hear(turn, utterance))

    def _cancelled(self) -> None:
        self._deaf = False
        if self._utterance is not None:
            self._utterance.recognition.cancel()
            self._utterance = None

    def _typed(self, event: Typed) -> None:
        if self._mailbox.has(event.id):
            return
        self._mailbox.take(event.id)
        question = self._question
        if question is not None and question.open and not event.images:
            heard = read_answer(event.text)
            if heard.answer != "unclear":
                self.show(Message("user", "message", content=event.text))
                self._decide(question, heard.answer == "yes", heard.but)
                return
            question.settle(Decision(False, reason="another request came"))
        self._interrupt()
        spans = Spans(self._clock, self._services.metrics)
        self._begin(spans, lambda turn: self._respond(turn, event.text, event.images))

    def _answered(self, event: Answer) -> None:
        question = self._question
        if question is None or question.id != event.id or not question.open:
            self.trouble("answer", phrases.NOT_OPEN)
        elif event.answer == "edit" and event.code is not None:
            self._flush()
            question.settle(Decision(True, code=event.code))
        else:
            self._decide(question, event.answer == "yes", event.but)

    def _decide(self, question: OpenQuestion, approved: bool, but: str | None) -> None:
        self._flush()
        question.settle(Decision(approved, but=but, reason="" if approved else "the user said no"))

    # --- silence and stop

    def _flush(self) -> None:
        """Silence at once. What the turn said is cut where the listener was; announcements not begun stay."""
        unheard: list[Unheard] = self._speech.flush()
        turn = self._turn
        if turn is not None and not turn.muted and any(item.line.owner is turn for item in unheard):
            turn.mute(heard_of(turn, unheard, turn.cutter.cut_to))
            turn.cut(self.history)

    def _hush(self) -> None:
        """A tap: silence, or no to a question that has been heard; work goes on."""
        if self._question is not None and self._question.open:
            if not self._question.deaf:
                self._decide(self._question, False, None)
            return
        turn = self._turn
        self._flush()
        if turn is not None and not turn.done and not turn.muted:
            turn.mute(turn.cutter.cut_to)

    def _interrupt(self) -> None:
        """A new request begins: silence, and the model call is dropped. Running code goes on for now."""
        self._hush_turn()
        turn = self._turn
        if turn is not None and not turn.done:
            turn.over = True
            if turn.run is not None:
                turn.run.hush()

    def _hush_turn(self) -> None:
        turn = self._turn
        self._flush()
        if turn is not None and not turn.done and not turn.muted:
            turn.mute(turn.cutter.cut_to)

    def _stop(self) -> None:
        """Everything ends: speech, model, code, an open question."""
        working = self._brain.working is not None or (self._turn is not None and not self._turn.done)
        if self._question is not None:
            self._question.settle(Decision(False, reason="the user stopped everything"))
        self._cancelled()
        self._interrupt()
        self._spawn(self._brain.end_work())
        self.show(Message("server", "status", content="stopped"))
        if working:
            self.notice(phrases.STOPPED)

    def _repeat(self) -> None:
        self._flush()
        self.notice(self._last_said or phrases.NOTHING_TO_REPEAT, keep=True)

    # --- turns

    def _begin(self, spans: Spans, work: Callable[[Turn], Coroutine[Any, Any, None]]) -> None:
        turn = Turn(spans)
        self._turn = turn
        self._before = self._last_said
        self._speech.expect_more(True)
        turn.task = self._spawn(self._guard(turn, work(turn)))
        self._spawn(self._progress(turn))

    async def _guard(self, turn: Turn, work: Coroutine[Any, Any, None]) -> None:
        """Run a turn so that whatever happens, it ends and the user is told."""
        try:
            await work
        except SpeechError as error:
            turn.failed = True
            self.trouble("hearing", str(error))
        except Exception:
            log.exception("a turn of %s failed", self.device)
            turn.failed = True
            self.trouble("turn", phrases.INTERNAL)
            if self._closed:
                raise
        finally:
            turn.done = True
            self.tell(turn, "", final=True)
            if turn is self._turn:
                self._speech.expect_more(False)
            end = "failed" if turn.failed else "interrupted" if turn.over else "done"
            self._services.metrics.turns.labels(end).inc()
            self.settle()
        if not turn.over:
            self.show(Message("server", "status", content="complete", id=turn.id))
        await self._save()

    async def _hear(self, turn: Turn, utterance: Utterance) -> None:
        if not self._services.ready():
            self.show(Message("server", "status", content="warming"))
        transcript = await utterance.recognition.finish()
        turn.spans.mark("transcript")
        text = transcript.text.strip()
        if transcript.language and not self._services.settings.hear.language:
            self._language = transcript.language
        if text and turn.over:
            # Spoken over before it was understood: kept for the next answer to build on.
            self.show(Message("user", "message", content=text))
            self.history.add(Message("user", "message", content=text))
        elif text:
            await self._respond(turn, text, ())
        elif not turn.over and not (utterance.silenced and utterance.bare(self._clock())):
            if transcript.rejected:
                grammar = transcript.from_grammar
                self.trouble("hearing", phrases.ONLY_COMMANDS if grammar else phrases.NOT_UNDERSTOOD)
            else:
                self.trouble("hearing", phrases.NOTHING_HEARD)

    async def _respond(self, turn: Turn, text: str, images: tuple[tuple[str, str], ...]) -> None:
        self.show(Message("user", "message", content=text, id=turn.id))
        await self._brain.answer(turn, text, images)

    async def _hear_answer(self, utterance: Utterance, spans: Spans) -> None:
        """What was said while a question was open."""
        question = utterance.question
        assert question is not None
        try:
            transcript = await utterance.recognition.finish()
        except SpeechError as error:
            self.trouble("hearing", str(error))
            return
        text = transcript.text.strip()
        if text:
            self.show(Message("user", "message", content=text))
        heard = read_answer(text)
        if not question.open:
            if text and heard.answer == "unclear":
                self._interrupt()
                self._begin(spans, lambda turn: self._respond(turn, text, ()))
            else:
                self.trouble("answer", phrases.NOT_OPEN)
        elif not text:
            self._remark(question, phrases.NOT_UNDERSTOOD)
        elif text.lower().strip(" .!") in ("stop", "stop everything", "cancel", "cancel everything"):
            self._stop()
        elif heard.answer == "yes" and utterance.early:
            self._remark(question, phrases.SAID_TOO_EARLY)
        elif heard.answer == "unclear":
            self.notice(phrases.ANSWER_UNCLEAR)
            self._decide_quietly(question, text)
        else:
            self._decide(question, heard.answer == "yes", heard.but)
        self.settle()

    def _decide_quietly(self, question: OpenQuestion, but: str) -> None:
        question.settle(Decision(False, but=but, reason="the user said something else"))

    # --- what an answer needs (brain.Stage)

    def show(self, message: Message) -> None:
        self._emit(Show(message))

    def tell(self, turn: Turn, text: str, *, final: bool = False) -> None:
        """Speak more of the turn's text, clause by clause, as soon as each is safe."""
        turn.add(text)
        clauses = turn.cutter.feed(text) if text else []
        if final:
            clauses += turn.cutter.finish()
        if turn.text:
            self._last_said = turn.text
        if turn.muted:
            return
        for clause in clauses:
            if not clause.text.strip():
                continue
            turn.spans.mark("first_clause")
            line = Line(clause.text, turn, clause.start, clause.end, on_sent=lambda: self._first_audio(turn))
            self._speech.say(line)

    def _first_audio(self, turn: Turn) -> None:
        if "first_audio" in turn.spans.ms:
            return
        turn.spans.mark("first_audio")
        turn.spans.mark("first_played", later_ms=self._speech.lead_ms)
        turn.spans.log(self.device)
        self.show(Message("server", "status", "spans", dict(turn.spans.ms), id=turn.id))

    def notice(self, text: str, *, keep: bool = False) -> asyncio.Future[bool]:
        self.show(Message("assistant", "message", "notice", text))
        return self._speech.say(Line(text, end=len(text), keep=keep))

    def trouble(self, where: str, text: str, *, shown: bool = False) -> None:
        self._services.metrics.errors.labels(where).inc()
        if not shown:
            self.show(Message("server", "error", content=text))
        self._speech.say(Line(text, end=len(text)))

    async def ask(self, turn: Turn, question: Question) -> Decision:
        """Put an approval question and wait for its answer. No answer is a no."""
        if turn.over:
            return Decision(False, reason="the user began something else")
        if self.away:
            return Decision(False, reason="the device is away, so nobody could be asked")
        if self._question is not None:
            self._question.settle(Decision(False, reason="another question came up"))
        asked = OpenQuestion(question, self._clock, self._services.settings.approval.timeout_s)
        self._question = asked
        self.show(asked.message())
        self._say_of(asked, question.text)
        self.settle()
        decision = Decision(False, reason="the turn ended")
        try:
            decision = await asked.answer()
        finally:
            asked.settle(decision)
            if self._question is asked:
                self._question = None
            self.show(asked.closed(decision))
            self.settle()
        return decision

    def _say_of(self, question: OpenQuestion, text: str) -> None:
        """Say the question, or a remark about it; presses are answers only some time after it was heard."""
        question.speaking()
        self._speech.say(Line(text, end=len(text))).add_done_callback(lambda _: question.spoken())

    def _remark(self, question: OpenQuestion, text: str) -> None:
        self.show(Message("assistant", "message", "notice", text))
        self._say_of(question, text)

    async def effect(self, turn: Turn, reply: Reply) -> None:
        """What a command wants of the conversation itself."""
        match reply.effect:
            case "stop" | "cancel":
                self._speech.flush()
                if self._question is not None:
                    self._question.settle(Decision(False, reason="the user stopped everything"))
                await self._brain.end_work()
            case "repeat":
                self.tell(turn, self._before or phrases.NOTHING_TO_REPEAT, final=True)
            case "louder":
                self._set_volume(self._speech.volume + 15)
            case "quieter":
                self._set_volume(self._speech.volume - 15)
            case "volume" if reply.value is not None:
                self._set_volume(round(reply.value))
            case "faster":
                self._rate = min(3.0, self._rate * 1.2)
            case "slower":
                self._rate = max(0.4, self._rate / 1.2)
            case _:
                pass

    def _set_volume(self, percent: int) -> None:
        """The device turns its own volume where it can; where it cannot, the sound itself is scaled."""
        self._volume = max(5, min(100, percent))
        if any("volume" in outlet.link.features for outlet in self._outlets):
            self._speech.volume = 100
            self._emit(VolumeTo(self._volume))
        else:
            self._speech.volume = self._volume

    def settle(self) -> None:
        """Derive what is going on, tell the devices of a change, and speak up when there is room for it."""
        if self._closed:
            return
        turn, working = self._turn, self._brain.working
        if self._utterance is not None and not self._utterance.early and self._utterance.released_at is None:
            state = Doing.LISTENING
        elif self._question is not None and self._question.open:
            state = Doing.ASKING
        elif self._speech.speaking:
            state = Doing.SPEAKING
        elif working is not None and working.acting:
            state = Doing.ACTING
        elif (turn is not None and not turn.done) or self._utterance is not None:
            state = Doing.THINKING
        else:
            state = Doing.IDLE
        self._machine.to(state)
        if state is Doing.IDLE and self._mailbox.waiting and not self.away:
            self._announce_next()

    # --- unasked speech

    async def announce(self, text: str) -> None:
        """Speak up now, when there is room, or when the device is back; a restart does not lose it."""
        self._mailbox.waiting.append(text)
        await self._save_mailbox()
        self.settle()

    def _announce_next(self) -> None:
        if self._announcing is not None:
            return
        text = self._mailbox.waiting[0]
        begun = False

        def sent() -> None:
            nonlocal begun
            begun = True

        def over(done: asyncio.Future[bool]) -> None:
            self._announcing = None
            if self._closed or done.cancelled() or not (done.result() or (begun and not self.away)):
                return  # nobody heard it begin: it stays for the next occasion
            if text in self._mailbox.waiting:
                self._mailbox.waiting.remove(text)
            self._spawn(self._save_mailbox())
            self.settle()

        line = Line(text, end=len(text), keep=False, on_sent=sent)
        self._announcing = line
        self._last_said = text
        message = self.history.add(Message("assistant", "message", "announcement", text)).message
        self.show(message)
        self._speech.say(line).add_done_callback(over)

    async def _progress(self, turn: Turn) -> None:
        """Never silent: say that it goes on, when it takes long and nothing else is said."""
        silent_since, said = self._clock(), 0
        while not turn.done and not turn.over:
            wait = PROGRESS_AFTER_S[min(said, len(PROGRESS_AFTER_S) - 1)]
            if self._speech.speaking or self._question is not None or turn.muted or self.away:
                silent_since = self._clock()
            left = silent_since + wait - self._clock()
            if left > 0:
                await asyncio.wait([turn.task] if turn.task else [], timeout=min(left, 1.0))
                continue
            said += 1
            if not self._services.ready():
                self.notice(phrases.STILL_WARMING)
            else:
                self.notice(phrases.STILL_ACTING if turn.acting else phrases.STILL_THINKING)
            silent_since = self._clock()

    # --- house-keeping

    def _voice_failed(self, line: Line, error: SpeechError) -> None:
        self._services.metrics.errors.labels("speaking").inc()
        self.show(Message("server", "error", content=phrases.NO_VOICE.format(reason=error)))

    def _spawn(self, coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._reap)
        return task

    def _reap(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a task of %s failed", self.device, exc_info=error)

    async def _save(self) -> None:
        await self.history.saved()
        if self.history.notice:
            notice, self.history.notice = self.history.notice, ""
            self.trouble("history", notice)
        await self._save_mailbox()

    async def _save_mailbox(self) -> None:
        try:
            await self._mailbox.save()
        except OSError as error:
            self.trouble("history", phrases.NOT_SAVED.format(reason=error.strerror or error))

    async def _record(self, pcm: bytes) -> None:
        assert self._recordings is not None
        try:
            file = await keep_recording(self._recordings, pcm)
            log.debug("%s: recording kept as %s", self.device, file)
        except OSError as error:
            log.warning("a recording could not be kept: %s", error)

    async def close(self) -> None:
        """End the conversation: its work is stopped, its memory saved. Every task is gone afterwards."""
        if self._closed:
            return
        if self._question is not None:
            self._question.settle(Decision(False, reason="the server is stopping"))
        self._cancelled()
        self._flush()
        self._closed = True
        await self._brain.close()
        await self._speech.close()
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(list(self._tasks))
        await self.history.saved()
        await self._mailbox.save()
        for outlet in list(self._outlets):
            await outlet.drain(1.0)
