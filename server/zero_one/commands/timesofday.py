"""Times of day as people say them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import time

from zero_one.commands.numbers import parse_int


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day as said. ``half`` is "am", "pm" or "" where the speaker left it open."""

    hour: int
    minute: int
    half: str = ""

    def time(self, morning: bool = False) -> time:
        hour = self.hour
        if self.half == "pm" and hour < 12:
            hour += 12
        elif (self.half == "am" or (morning and not self.half)) and hour == 12:
            hour = 0
        return time(hour % 24, self.minute)

    @property
    def open(self) -> bool:
        """Could be morning or afternoon."""
        return not self.half and 1 <= self.hour <= 12


def parse_clock(words: Sequence[str]) -> Clock | None:
    """ "half past five", "quarter to eight p m", "5:30pm", "seventeen thirty", "noon", "seven in the morning"."""
    words = list(words)
    if words[:1] in (["about"], ["around"], ["exactly"], ["like"], ["roughly"], ["say"]):
        words = words[1:]
    half = ""
    for tail, meaning in 2 * (
        (["in", "the", "morning"], "am"), (["in", "the", "afternoon"], "pm"), (["in", "the", "evening"], "pm"),
        (["at", "night"], "night"), (["a", "m"], "am"), (["p", "m"], "pm"), (["am"], "am"), (["pm"], "pm"),
        (["this", "morning"], "am"), (["sharp"], ""), (["hours"], "24"), (["tonight"], "night"),
        (["this", "evening"], "pm"), (["this", "afternoon"], "pm"), (["on", "the", "dot"], ""), (["or", "so"], ""),
        (["ish"], ""), (["exactly"], ""), (["precisely"], ""), (["in", "the", "night"], "night"),
    ):  # fmt: skip
        if len(words) > len(tail) and words[-len(tail) :] == tail:
            words, half = words[: -len(tail)], meaning or half
    if len(words) > 1 and words[0] in ("oh", "o", "zero"):  # "oh seven hundred"
        words, half = words[1:], half or "24"
    glued = re.fullmatch(r"(\d{1,2}(?:[:.]\d{2})?)(am|pm|a|p)", words[0]) if len(words) == 1 else None
    if len(words) == 1 and re.fullmatch(r"0\d[:.h]?\d{2}", words[0]) and not half:
        half = "24"  # nobody writes "06:30" of the evening
    if glued:
        words, half = [glued[1]], glued[2][0] + "m"
    hour_minute = _hour_minute(words)
    if hour_minute is None:
        return None
    hour, minute = hour_minute
    if half == "night":
        half = "pm" if hour % 12 >= 5 else "am"
    if half in ("am", "pm"):
        return Clock(hour, minute, half) if 0 < hour <= 12 else (Clock(hour, minute, "24") if hour < 24 else None)
    if half == "24" or words in (["noon"], ["midday"], ["midnight"]):
        return Clock(hour, minute, "24")
    return Clock(hour, minute, "24" if hour > 12 or hour == 0 else "")


def _hour_minute(words: list[str]) -> tuple[int, int] | None:
    if not words:
        return None
    if words in (["noon"], ["midday"], ["twelve", "noon"]):
        return 12, 0
    if words in (["midnight"], ["twelve", "midnight"]):
        return 0, 0
    if len(words) > 1 and words[-1] in ("o'clock", "oclock"):
        words = words[:-1]
        hour = parse_int(words)
        return (hour, 0) if hour is not None and 0 < hour <= 12 else None
    if len(words) == 1:
        written = re.fullmatch(r"(\d{1,2})[:.h](\d{2})", words[0])
        if written:
            return _valid(int(written[1]), int(written[2]))
        if re.fullmatch(r"\d{3,4}", words[0]):
            return _valid(int(words[0][:-2]), int(words[0][-2:]))
    for joint, sign in (("past", 1), ("after", 1), ("to", -1), ("till", -1), ("until", -1), ("before", -1), ("of", -1)):
        if joint in words[1:-1]:
            at = words.index(joint, 1)
            minute = _minutes(words[:at])
            base = _hour_minute(words[at + 1 :])
            if minute is None or base is None or base[1]:
                return None
            if sign > 0:
                return base[0], minute
            return (base[0] - 1) % 24 or (12 if base[0] <= 12 and base[0] != 0 else 24), 60 - minute
    if words[0] == "half" and len(words) == 2:
        hour = parse_int(words[1:])
        return (hour, 30) if hour is not None and 0 < hour <= 12 else None
    for cut in range(len(words), 0, -1):
        hour, rest = parse_int(words[:cut]), words[cut:]
        if hour is None or not 0 <= hour < 24:
            continue
        if not rest:
            return hour, 0
        if rest == ["hundred"]:
            return hour, 0
        if rest[0] in ("oh", "o", "zero") and len(rest) == 2:
            minute = parse_int(rest[1:])
            return (hour, minute) if minute is not None and 0 < minute < 10 else None
        minute = parse_int(rest)
        if minute is not None and 10 <= minute < 60:
            return hour, minute
    return None


def _valid(hour: int, minute: int) -> tuple[int, int] | None:
    return (hour, minute) if hour < 24 and minute < 60 else None


def _minutes(words: list[str]) -> int | None:
    if words in (["quarter"], ["a", "quarter"]):
        return 15
    if words == ["half"]:
        return 30
    if words[-1] in ("minutes", "minute"):
        words = words[:-1]
    value = parse_int(words)
    return value if value is not None and 0 < value < 60 else None
