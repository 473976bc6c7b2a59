"""espeak-ng: small, embedded, speaks at once, a hundred languages.

The library is one global state machine, so the whole process shares one copy and one thread. Its synthesis callback
hands out sound while the rest of the sentence is still being made; where the library cannot be loaded, the
``espeak-ng`` command does the same over a pipe. Constants are those of espeak-ng's ``speak_lib.h``.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import logging
import shutil
import struct
import threading
from collections.abc import AsyncIterator
from functools import lru_cache

from zero_one.speech.stt.base import SpeechError
from zero_one.speech.tts.base import Voice
from zero_one.speech.worker import Emit, Worker, stream

log = logging.getLogger(__name__)

WORDS_PER_MINUTE = 175
"""espeak-ng's normal speed; it accepts 80 to 450."""
_CHUNK_MS = 60

_SYNCHRONOUS = 2
_DONT_EXIT = 0x8000
_UTF8 = 1
_RATE = 1
_OK = 0
_POS_CHARACTER = 1

_MISSING = (
    "I have no voice: espeak-ng could not be loaded. Reinstall with the espeakng-loader package, "
    "or install espeak-ng with your system's package manager."
)


class _VoiceStruct(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("languages", ctypes.c_char_p),
        ("identifier", ctypes.c_char_p),
        ("gender", ctypes.c_ubyte),
        ("age", ctypes.c_ubyte),
        ("variant", ctypes.c_ubyte),
        ("xx1", ctypes.c_ubyte),
        ("score", ctypes.c_int),
        ("spare", ctypes.c_void_p),
    )


_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)


class Library:
    """espeak-ng in this process. Everything but the constructor runs in ``worker``'s one thread."""

    def __init__(self) -> None:
        import espeakng_loader

        self.sample_rate = 0
        self.worker = Worker("espeak-ng")
        self._emit: Emit | None = None
        self._lib = ctypes.CDLL(espeakng_loader.get_library_path())
        self._lib.espeak_ListVoices.restype = ctypes.POINTER(ctypes.POINTER(_VoiceStruct))
        self._lib.espeak_TextToPhonemes.restype = ctypes.c_char_p
        rate = self._lib.espeak_Initialize(
            _SYNCHRONOUS, _CHUNK_MS, espeakng_loader.get_data_path().encode(), _DONT_EXIT
        )
        if rate <= 0:
            raise OSError("espeak-ng found no voice data")
        self.sample_rate = int(rate)
        self._callback = _Callback(self._on_sound)  # kept: the library holds only a pointer
        self._lib.espeak_SetSynthCallback(self._callback)

    def _on_sound(self, samples: ctypes._Pointer[ctypes.c_short], count: int, _events: int | None) -> int:
        emit = self._emit
        if emit is None:
            return 1
        if not samples or count <= 0:
            return 0
        return 0 if emit(ctypes.string_at(samples, count * 2)) else 1

    def synthesize(self, text: str, voice: Voice, emit: Emit) -> None:
        self._select(voice)
        self._lib.espeak_SetParameter(_RATE, words_per_minute(voice.rate), 0)
        data = text.encode("utf-8", "replace") + b"\0"
        self._emit = emit
        try:
            status = self._lib.espeak_Synth(data, ctypes.c_size_t(len(data)), 0, _POS_CHARACTER, 0, _UTF8, None, None)
        finally:
            self._emit = None
        if status != _OK:
            raise SpeechError("The voice failed on that sentence. I kept the text; ask me to say it again.")

    def phonemes(self, text: str, language: str = "en-us") -> str:
        """``text`` in the International Phonetic Alphabet."""
        self._select(Voice(language=language))
        pointer = ctypes.c_char_p(text.encode("utf-8", "replace"))
        said = []
        while pointer.value:
            part = self._lib.espeak_TextToPhonemes(ctypes.byref(pointer), _UTF8, 2)
            if part:
                said.append(part.decode("utf-8", "replace"))
        return " ".join(said)

    def voices(self) -> list[tuple[str, str]]:
        """(voice name, language) of every voice."""
        found = []
        array = self._lib.espeak_ListVoices(None)
        index = 0
        while array and array[index]:
            entry = array[index].contents
            tag = (entry.languages or b"")[1:].split(b"\0")[0].decode("ascii", "replace")
            found.append((tag, (entry.name or b"").decode("utf-8", "replace")))
            index += 1
        return sorted(found)

    def _select(self, voice: Voice) -> None:
        for name in voice_names(voice):
            by_language = _VoiceStruct(languages=name.encode())
            if (
                self._lib.espeak_SetVoiceByName(name.encode()) == _OK
                or self._lib.espeak_SetVoiceByProperties(ctypes.byref(by_language)) == _OK
            ):
                if voice.id and name == "en":
                    log.warning("espeak-ng has no voice %r; the English one speaks instead", voice.id)
                return
        raise SpeechError("espeak-ng has no English voice. Reinstall the espeakng-loader package.")


def words_per_minute(rate: float) -> int:
    return max(80, min(450, round(WORDS_PER_MINUTE * rate)))


def voice_names(voice: Voice) -> list[str]:
    """What to try, best first: the voice asked for, its language (``en_US-amy-low`` speaks ``en-us``), English."""
    names = []
    for wish in (voice.id, voice.language):
        if wish and not wish.startswith("-"):
            tag = wish.split("-")[0].replace("_", "-").lower() if "_" in wish else wish
            names += ["en-us"] if wish == "en" else [wish, tag, tag.split("-")[0]]
    if not names:
        names.append("en-us")
    return list(dict.fromkeys([*(name for name in names if name), "en"]))


_lock = threading.Lock()


@lru_cache(maxsize=1)
def _open() -> Library | None:
    try:
        return Library()
    except (ImportError, OSError, AttributeError, RuntimeError) as error:
        log.info("espeak-ng is not available in process: %s", error)
        return None


def library() -> Library | None:
    """The process's one espeak-ng, or None where it cannot be loaded."""
    with _lock:
        return _open()


class EspeakNG:
    """The embedded voice."""

    name = "espeak-ng"

    def __init__(self, *, in_process: bool = True, command: str = "espeak-ng") -> None:
        self.sample_rate = 22050
        self._in_process = in_process
        self._command = command
        self._library: Library | None = None
        self._path: str | None = None

    async def warm(self) -> None:
        if self._library or self._path:
            return
        if self._in_process:
            self._library = await asyncio.to_thread(library)
        if self._library is not None:
            self.sample_rate = self._library.sample_rate
            return
        self._path = shutil.which(self._command)
        if self._path is None:
            raise SpeechError(_MISSING)

    async def speak(self, text: str, voice: Voice) -> AsyncIterator[bytes]:
        await self.warm()
        text = text.replace("\0", " ").strip()
        if not text:
            return
        if (found := self._library) is not None:
            pieces = stream(found.worker, lambda emit: found.synthesize(text, voice, emit))
        else:
            pieces = self._speak_by_command(text, voice)
        async with contextlib.aclosing(pieces) as opened:  # type: ignore[type-var]
            async for piece in opened:
                yield piece

    async def close(self) -> None:
        """Nothing to free: the library belongs to the process."""

    async def _speak_by_command(self, text: str, voice: Voice) -> AsyncIterator[bytes]:
        assert self._path is not None
        for name in voice_names(voice):
            process = await asyncio.create_subprocess_exec(
                self._path, "--stdin", "--stdout", "-v", name, "-s", str(words_per_minute(voice.rate)), "-b", "1",
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            )  # fmt: skip
            assert process.stdin is not None
            assert process.stdout is not None
            spoke = False
            try:
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    process.stdin.write(text.encode("utf-8", "replace"))
                    await process.stdin.drain()
                process.stdin.close()
                with contextlib.suppress(asyncio.IncompleteReadError):
                    header = await process.stdout.readexactly(44)  # RIFF header without extra chunks
                    self.sample_rate = struct.unpack_from("<I", header, 24)[0]
                    odd = b""
                    while piece := await process.stdout.read(4096):
                        piece = odd + piece
                        odd = piece[len(piece) & ~1 :]
                        spoke = True
                        yield piece[: len(piece) & ~1]
                await process.wait()
            finally:
                if process.returncode is None:
                    process.kill()
                    await process.wait()
            if spoke:
                return
        raise SpeechError("The espeak-ng command gave no sound. Check it with: espeak-ng hello")


def available() -> bool:
    """Whether this machine can speak with espeak-ng at all."""
    return library() is not None or shutil.which("espeak-ng") is not None


async def list_voices() -> list[tuple[str, str]]:
    """(id, description) of the embedded voices."""
    found = await asyncio.to_thread(library)
    return await found.worker.do(found, found.voices) if found else []
