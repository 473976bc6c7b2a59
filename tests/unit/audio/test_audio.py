"""PCM, WAV, resampling, levels, voice activity, earcons, and the stand-ins for sound devices."""

from __future__ import annotations

import asyncio
import builtins
import math
import stat
import sys
from array import array
from pathlib import Path
from typing import Any

import pytest

from support.voices import say
from zero_one.audio import devices
from zero_one.audio.devices import AudioDeviceError, PlaybackQueue
from zero_one.audio.earcon import earcon
from zero_one.audio.files import WavMicrophone, WavSpeaker
from zero_one.audio.formats import (
    SoundFileError,
    WavReader,
    WavWriter,
    bytes_of,
    ms_of,
    read_wav,
    silence,
    wav_bytes,
    write_wav,
)
from zero_one.audio.level import FLOOR, peak_dbfs, rms_dbfs
from zero_one.audio.resample import Resampler, resample
from zero_one.audio.vad import SpeechTracker, VoiceDetector, speech_spans, trim
from zero_one.identity.device import device_id


def tone(ms: int, rate: int, hz: float = 440, gain: float = 0.5) -> bytes:
    return array(
        "h", (round(gain * 32767 * math.sin(2 * math.pi * hz * at / rate)) for at in range(rate * ms // 1000))
    ).tobytes()


@pytest.fixture(scope="session")
def spoken() -> bytes:
    """A sentence by flite, 16 kHz, with 500 ms of silence before and 900 ms after."""
    return silence(500, 16_000) + say("please open the kitchen window") + silence(900, 16_000)


def test_lengths_and_bytes_are_each_others_inverse() -> None:
    assert bytes_of(20, 16_000) == 640
    assert ms_of(640, 16_000) == ms_of(bytes(640), 16_000) == 20
    assert len(silence(100, 24_000)) == 4_800


def test_a_wav_comes_back_as_it_was_and_a_private_one_is_for_its_owner_alone(tmp_path: Path) -> None:
    pcm = tone(100, 16_000)
    path = tmp_path / "a.wav"
    path.touch(mode=0o644)
    write_wav(path, pcm, 16_000, private=True)
    assert read_wav(path, 16_000) == pcm
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_wav_that_is_still_being_written_can_be_read(tmp_path: Path) -> None:
    with WavWriter(tmp_path / "a.wav", 24_000) as writer:
        writer.write(tone(50, 24_000))
        writer.write(tone(50, 24_000))
        assert len(read_wav(tmp_path / "a.wav", 24_000)) == bytes_of(100, 24_000)


def test_a_streamed_wav_may_be_cut_anywhere() -> None:
    pcm = tone(30, 16_000)
    reader = WavReader(16_000)
    got = b"".join(reader.feed(bytes([byte])) for byte in wav_bytes(pcm, 16_000)) + reader.finish()
    assert got == pcm


def test_what_is_no_wav_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.mp3").write_bytes(b"ID3 something else")
    with pytest.raises(SoundFileError, match="no WAV file"):
        read_wav(tmp_path / "x.mp3", 16_000)
    with pytest.raises(SoundFileError, match="cannot be read"):
        read_wav(tmp_path / "missing.wav", 16_000)


@pytest.mark.parametrize(("one", "other"), [(16_000, 24_000), (44_100, 16_000), (22_050, 24_000), (16_000, 16_000)])
def test_a_resampled_stream_keeps_pitch_level_and_length(one: int, other: int) -> None:
    import numpy as np

    source, resampler = tone(500, one), Resampler(one, other)
    got = b"".join(resampler.feed(source[at : at + 333]) for at in range(0, len(source), 333)) + resampler.finish()
    assert abs(ms_of(got, other) - 500) <= 2
    assert abs(rms_dbfs(got) - rms_dbfs(source)) < 0.2
    samples = np.frombuffer(got, "<i2")
    assert abs(np.abs(np.fft.rfft(samples)).argmax() * other / len(samples) - 440) < 4
    assert ms_of(resample(source, one, other), other) == ms_of(got, other)


def test_levels_are_what_a_sine_has() -> None:
    assert rms_dbfs(tone(100, 16_000, gain=1.0)) == pytest.approx(-3.01, abs=0.05)
    assert peak_dbfs(tone(100, 16_000, gain=0.1)) == pytest.approx(-20, abs=0.1)
    assert rms_dbfs(b"") == peak_dbfs(silence(10, 16_000)) == FLOOR


def test_speech_is_found_where_it_is_and_nowhere_else(spoken: bytes) -> None:
    (span,) = speech_spans(spoken)
    # The voice itself begins and ends with about 200 ms of silence.
    assert 500 <= span.start_ms <= 800
    assert ms_of(spoken, 16_000) - 1_300 <= span.end_ms <= ms_of(spoken, 16_000) - 700
    cut = trim(spoken)
    assert cut in spoken
    assert ms_of(cut, 16_000) < ms_of(spoken, 16_000) - 700
    assert trim(silence(1_000, 16_000)) == b""


def test_decisions_do_not_depend_on_how_the_sound_was_cut(spoken: bytes) -> None:
    whole = VoiceDetector().process(spoken)
    detector, pieces = VoiceDetector(), []
    for at in range(0, len(spoken), 777):
        pieces += detector.process(spoken[at : at + 777])
    assert pieces == whole


def test_a_click_is_no_speech_and_a_pause_ends_none() -> None:
    tracker = SpeechTracker(begin_ms=60, end_ms=200)
    pattern = [True] + [False] * 9 + [True] * 10 + [False] * 5 + [True] * 10 + [False] * 11
    for is_speech in pattern:
        tracker.process(is_speech)
    (span,) = tracker.finish()
    assert (span.start_ms, span.end_ms) == (200, 700)
    assert not tracker.speaking


@pytest.mark.parametrize("name", ["listening", "release", "error"])
def test_earcons_are_short_quiet_and_without_clicks(name: Any) -> None:
    pcm = earcon(name)
    assert 60 <= ms_of(pcm, 24_000) <= 400
    assert -30 < rms_dbfs(pcm) < -14
    assert peak_dbfs(pcm[:20]) < -40
    assert peak_dbfs(pcm[-20:]) < -30
    assert ms_of(earcon(name, 16_000), 16_000) == ms_of(pcm, 24_000)


def test_a_playback_queue_gives_what_it_got_in_order() -> None:
    queue = PlaybackQueue()
    queue.write(b"abcd")
    queue.write(b"efgh")
    assert (queue.take(3), queue.take(3), queue.waiting, queue.taken) == (b"abc", b"def", 2, 6)
    queue.drop()
    assert queue.take(5) == b""


def test_a_missing_portaudio_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def broken(name: str, *args: Any, **more: Any) -> Any:
        if name == "sounddevice":
            raise OSError("PortAudio library not found")
        return real(name, *args, **more)

    monkeypatch.delitem(sys.modules, "sounddevice", raising=False)
    monkeypatch.setattr(builtins, "__import__", broken)
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(AudioDeviceError, match=r"libportaudio2.*--wav FILE"):
        devices.portaudio()


def test_a_machine_without_microphone_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "list_devices", list)
    with pytest.raises(AudioDeviceError, match=r"No microphone was found.*--wav FILE"):
        devices.SoundDeviceMicrophone().open(lambda pcm: None)


async def test_a_wav_microphone_delivers_the_file_in_blocks_and_says_when_it_ends() -> None:
    pcm, got, ended = tone(100, 16_000), [], asyncio.Event()
    microphone = WavMicrophone(wav_bytes(pcm, 16_000), ended.set)
    began = asyncio.get_running_loop().time()
    microphone.open(got.append)
    await asyncio.wait_for(ended.wait(), 60)
    assert asyncio.get_running_loop().time() - began >= 0.095
    assert b"".join(got) == pcm
    assert len(got) == 5


async def test_a_wav_speaker_keeps_exactly_what_was_heard(tmp_path: Path) -> None:
    now = [0.0]
    speaker = WavSpeaker(tmp_path / "heard.wav", 24_000, clock=lambda: now[0])
    first, second = tone(400, 24_000), tone(200, 24_000, hz=880)
    speaker.write(first)
    now[0] = 0.1
    assert (speaker.position_ms, speaker.end_ms) == (100, 400)
    speaker.drop()
    assert (speaker.position_ms, speaker.end_ms) == (100, 100)
    now[0] = 5.0
    speaker.write(second)
    now[0] = 6.0
    assert speaker.position_ms == 300
    await asyncio.wait_for(speaker.drained(), 60)
    speaker.close()
    assert read_wav(tmp_path / "heard.wav", 24_000) == first[: bytes_of(100, 24_000)] + second


async def test_a_wav_speaker_is_drained_when_real_time_has_passed() -> None:
    speaker = WavSpeaker()
    speaker.write(tone(60, 24_000))
    await asyncio.wait_for(speaker.drained(), 60)
    assert speaker.position_ms == 60
    speaker.close()


def test_a_device_id_stays_and_a_damaged_one_is_replaced(tmp_path: Path) -> None:
    first = device_id(tmp_path / "new")
    assert device_id(tmp_path / "new") == first
    assert stat.S_IMODE((tmp_path / "new" / "device-id").stat().st_mode) == 0o600
    (tmp_path / "new" / "device-id").write_bytes(b"\xff\xfe")
    second = device_id(tmp_path / "new")
    assert second != first
    assert device_id(tmp_path / "new") == second
