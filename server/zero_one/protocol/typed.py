"""Typed LMC messages from a device, whole or streamed, gathered into device events.

The streamed form is the one that Open Interpreter's server took: a start flag, content chunks, an end flag, where the
start may leave the type to the first chunk, and a ``stop`` or ``go`` command travels in the same three steps. Between a
start and an end without a type there may be several parts: words and images that belong together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, get_args

from zero_one.protocol.events import Answer, DeviceEvent, Gesture, Repeat, Stop, Typed
from zero_one.protocol.lmc import Message, MessageError
from zero_one.protocol.wire import (
    MAX_IMAGES,
    MAX_TEXT_FRAME,
    MAX_TYPED_CHARS,
    FrameError,
    clean,
    short_text,
    whole_number,
)

_AFFIRM: Final = {"yes": "yes", "y": "yes", "no": "no", "n": "no", "edit": "edit", "always": "yes"}
_GESTURES: Final[dict[str, Gesture]] = {gesture: gesture for gesture in get_args(Gesture)}


class TypedReader:
    """Gathers chunks. ``asked`` is the id of the question that an answer without an id means; ``shown`` keeps it."""

    def __init__(self) -> None:
        self.asked: str | None = None
        self._open: Message | None = None
        self._untyped = False  # the type is still to come
        self._parts = False  # the start named no type: what lies between it and its end is one request
        self._chunks: list[str] = []
        self._chars = 0
        self._whole: tuple[str, str] | None = None
        self._images: list[tuple[str, str]] = []

    def shown(self, message: Message) -> None:
        """An approval message went to the device: a question, or the end of one."""
        ident = message.id
        if ident is None and isinstance(message.content, Mapping):
            named = message.content.get("id")
            ident = named if isinstance(named, str) else None
        if message.end and ident == self.asked:
            self.asked = None
        elif ident is not None and asks_here(message):
            self.asked = ident

    def feed(self, raw: Mapping[str, Any]) -> list[DeviceEvent]:
        """One JSON message of role user. Raises FrameError; what was open is dropped then."""
        try:
            return self._feed(raw)
        except MessageError as problem:
            self._drop()
            raise FrameError("bad_message", f"This is no message: {problem}.") from None
        except FrameError:
            self._drop()
            raise

    def _feed(self, raw: Mapping[str, Any]) -> list[DeviceEvent]:
        fields = dict(raw)
        short_text(fields, "id")
        if "type" not in fields and (fields.get("start") is True or self._open is not None):
            # Open Interpreter lets a start (and what follows it) leave out the type.
            fields["type"] = self._open.type if self._open else "message"
            untyped_start = self._open is None
        else:
            untyped_start = False
        message = Message.from_dict(fields)
        if message.role != "user":
            raise FrameError("bad_message", f"A device speaks as user, not as {message.role}.")
        if message.type not in ("message", "image", "command", "approval"):
            raise FrameError("not_taken", f"A device may not send {message.type} messages.")
        if message.start:
            self._drop()
            self._open, self._untyped = message, untyped_start
            self._parts = untyped_start and not message.end
            self._add(message)
            return self._finish() if message.end else []
        if self._parts and message.type == "image" and message.content is not None:
            self._part_image(message)
            return self._finish() if message.end else []
        if self._open is not None and (self._open.type == message.type or self._untyped):
            if self._untyped and message.content is not None:
                self._open, self._untyped = replace(message, id=message.id or self._open.id), False
            elif self._open.format is None and message.format is not None:
                self._open = message
            self._add(message)
            return self._finish() if message.end else []
        if message.content is None:
            if message.end and self._whole == (message.role, message.type):
                self._whole = None
                return []
            raise FrameError("not_open", f"An end came for a {message.type} that was not started.")
        self._drop()
        self._open = message
        self._add(message)
        events = self._finish()
        self._whole = None if message.end else (message.role, message.type)
        return events

    def _add(self, message: Message) -> None:
        content = message.content
        if content is None:
            return
        if isinstance(content, Mapping) and message.type == "approval":
            assert self._open is not None
            self._open = Message(message.role, message.type, message.format, content, id=message.id or self._open.id)
            return
        if not isinstance(content, str):
            raise FrameError("bad_message", f"The content of {message.type} messages must be a string.")
        self._chars += len(content)
        limit = MAX_TEXT_FRAME if message.type == "image" else MAX_TYPED_CHARS
        if self._chars > limit:
            raise FrameError("too_large", f"A {message.type} may have at most {limit} characters.")
        self._chunks.append(content)

    def _part_image(self, message: Message) -> None:
        """An image among the parts of one request."""
        if not isinstance(message.content, str):
            raise FrameError("bad_message", "The content of image messages must be a string.")
        self._keep_image(message.format, message.content)

    def _finish(self) -> list[DeviceEvent]:
        message, text = self._open, clean("".join(self._chunks))
        self._drop()
        assert message is not None
        if message.type == "command":
            return [self._command(text.strip().lower())]
        if message.type == "approval":
            return [self._answer(message, text)]
        if message.type == "image":
            self._keep_image(message.format, text)
            return []
        images, self._images = tuple(self._images), []
        if not text.strip() and not images:
            raise FrameError("bad_message", "The message is empty.")
        return [Typed(text, images, message.id)]

    def _keep_image(self, format_: str | None, text: str) -> None:
        """An image waits for the words that go with it."""
        if format_ != "path" and not (format_ or "").startswith("base64"):
            raise FrameError("bad_message", "An image needs the format base64.png, base64.jpeg or path.")
        if not text:
            raise FrameError("bad_message", "The image is empty.")
        if len(self._images) >= MAX_IMAGES or sum(len(kept) for _, kept in self._images) + len(text) > MAX_TEXT_FRAME:
            raise FrameError("too_large", f"A message may have at most {MAX_IMAGES} images of 8 MiB together.")
        self._images.append((format_ or "base64.png", text))

    def _command(self, word: str) -> DeviceEvent:
        if word == "stop":
            return Stop()
        if word == "stop everything":
            return Stop(everything=True)
        if word == "silence":
            return Stop(silence_only=True)
        if word == "repeat":
            return Repeat()
        if word == "go":
            if self.asked is None:
                raise FrameError("no_question", "There is no open question that go could answer.")
            return Answer(self.asked, "yes")
        raise FrameError("bad_command", "The commands are stop, stop everything, silence, repeat and go.")

    def _answer(self, message: Message, text: str) -> DeviceEvent:
        fields: Mapping[str, Any] = message.content if isinstance(message.content, Mapping) else {"answer": text}
        question = message.id or short_text(fields, "id") or self.asked
        word = fields.get("answer")
        answer = _AFFIRM.get(word.strip().lower()) if isinstance(word, str) else None
        if question is None:
            raise FrameError("no_question", "There is no open question to answer; name one with its id.")
        if answer is None:
            raise FrameError("bad_message", "The answer must be yes, always, no or edit.")
        but, code, typed = fields.get("but"), fields.get("code"), fields.get("word")
        for name, value in (("but", but), ("code", code), ("word", typed)):
            if value is not None and (not isinstance(value, str) or len(value) > MAX_TYPED_CHARS):
                raise FrameError("bad_message", f"{name} must be a string of at most {MAX_TYPED_CHARS} characters.")
        if answer == "edit" and not code:
            raise FrameError("bad_message", "The answer edit needs the changed code.")
        hand, remember = fields.get("hand", "press"), fields.get("remember", False)
        gesture = _GESTURES.get(hand) if isinstance(hand, str) else None
        if gesture is None:
            raise FrameError("bad_field", "hand must be voice, press, hold or slide.")
        if not isinstance(remember, bool):
            raise FrameError("bad_field", "remember must be true or false.")
        held_ms = whole_number(fields, "held_ms", 0, 600_000) if "held_ms" in fields else 0
        remember = remember or str(word).strip().lower() == "always"
        return Answer(question, answer, _cleaned(but), _cleaned(code), gesture, held_ms, remember, _cleaned(typed))

    def _drop(self) -> None:
        self._open, self._untyped, self._parts = None, False, False
        self._chunks, self._chars, self._whole = [], 0, None


def asks_here(message: Message) -> bool:
    """Whether this is a question of this device's own conversation, not one that another room may answer too."""
    return not message.end and isinstance(message.content, Mapping) and message.content.get("own") is not False


def _cleaned(text: str | None) -> str | None:
    return clean(text) if text else None
