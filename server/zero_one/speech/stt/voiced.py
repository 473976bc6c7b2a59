"""What of an utterance is voice: silence before and after it is dropped, long pauses are noticed.

WebRTC's detector says of every 20 ms whether it sounds like speech. A click is not speech, so voice begins when most of
a short window says so; it ends only after a longer quiet, so that no soft last consonant is lost.
"""

from __future__ import annotations

from collections import deque

SAMPLE_RATE = 16_000
BYTES_PER_MS = SAMPLE_RATE * 2 // 1000
FRAME_MS = 20
FRAME = FRAME_MS * BYTES_PER_MS
_WINDOW = 10
_ENOUGH = 8
_STILL = 3
_LEAD_MS = 360
_TAIL_MS = 300


class Voiced:
    """Feed PCM (16 kHz mono s16le); ``take`` gives what is worth recognising."""

    def __init__(self, aggressiveness: int = 2) -> None:
        import webrtcvad

        self._vad = webrtcvad.Vad(aggressiveness)
        self._odd = b""
        self._recent: deque[bool] = deque(maxlen=_WINDOW)
        self._held: deque[bytes] = deque()
        """Frames not given out yet: the lead before speech, or quiet that may be a pause."""
        self._ready = bytearray()
        self._speaking = False
        self.heard = False
        """Whether there was any speech at all."""
        self.speech_frames = 0
        """How many frames were speech: as long as it stays the same, nothing more was said."""
        self.quiet_ms = 0
        """Since the last speech."""
        self.total_bytes = 0

    @property
    def total_ms(self) -> int:
        return self.total_bytes // BYTES_PER_MS

    def feed(self, pcm: bytes) -> None:
        self.total_bytes += len(pcm)
        data = self._odd + pcm
        end = len(data) - len(data) % FRAME
        for start in range(0, end, FRAME):
            self._frame(data[start : start + FRAME])
        self._odd = data[end:]

    def take(self) -> bytes:
        """Speech since the last call, with a little quiet around it."""
        ready = bytes(self._ready)
        self._ready.clear()
        return ready

    def _frame(self, frame: bytes) -> None:
        self._recent.append(self._vad.is_speech(frame, SAMPLE_RATE))
        self._held.append(frame)
        if any(list(self._recent)[-_STILL:]) if self._speaking else sum(self._recent) >= _ENOUGH:
            self._speaking = self.heard = True
            self.speech_frames += 1
            self.quiet_ms = 0
            self._release()
            return
        self.quiet_ms += FRAME_MS
        if self._speaking and self.quiet_ms <= _TAIL_MS:
            self._release()
            return
        self._speaking = False
        while len(self._held) * FRAME_MS > _LEAD_MS:
            self._held.popleft()

    def _release(self) -> None:
        for frame in self._held:
            self._ready += frame
        self._held.clear()
