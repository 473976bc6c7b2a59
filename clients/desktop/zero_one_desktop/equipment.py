"""What a client hears and speaks with, from its options: devices, files, or what is left without either."""

from __future__ import annotations

from collections.abc import Callable

from zero_one.audio.devices import (
    AudioDeviceError,
    Deliver,
    Microphone,
    SoundDeviceMicrophone,
    SoundDeviceSpeaker,
    Speaker,
)
from zero_one.audio.files import NoSpeaker, WavSpeaker
from zero_one.audio.pulse import PulseMicrophone, PulseSpeaker, pulse_runs
from zero_one_desktop.options import ClientOptions

Tell = Callable[[str], None]


def open_speaker(options: ClientOptions, tell: Tell) -> Speaker:
    """A file, the loudspeaker, or nothing but captions. Raises AudioDeviceError for one that was asked for by name,
    or a file that cannot be written."""
    if options.save is not None:
        try:
            return WavSpeaker(options.save)
        except OSError as problem:
            raise AudioDeviceError(f"{options.save} cannot be written: {problem.strerror or problem}.") from problem
    try:
        return PulseSpeaker() if pulse_runs() and not options.speaker else SoundDeviceSpeaker(options.speaker)
    except AudioDeviceError as problem:
        if options.speaker:
            raise
        tell(f"{problem} Answers are shown only.")
        return NoSpeaker()


def open_microphone(options: ClientOptions, deliver: Deliver, tell: Tell) -> Microphone | None:
    """The microphone, listening already where a pre-roll is kept; None where there is none or recordings replace it.

    Raises AudioDeviceError for one that was asked for by name.
    """
    if (options.wav or options.say) and not options.stay:
        return None
    microphone: Microphone = SoundDeviceMicrophone(options.microphone)
    if pulse_runs() and not options.microphone:
        microphone = PulseMicrophone()
    if options.pre_roll_ms:
        try:
            microphone.open(deliver)
        except AudioDeviceError as problem:
            if options.microphone:
                raise
            tell(f"{problem} You can type.")
            return None
    return microphone
