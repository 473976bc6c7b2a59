"""What people say around a command about themselves: "I'm boiling eggs, set a timer for six minutes", "lock the
screen, I'm off", "wake me at five because I have a flight".

Or they name a thing first and order then: "my alarms, what are they".

``cores(text)`` gives what is left without such statements. They ask and order nothing, so the command alone is meant;
whatever reports, wonders or wants something more is kept, and then no command matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from zero_one.commands.words import Words, norm, raw, split

NEVER = frozenset({"talk.help", "talk.who", "talk.hello", "undo.last", "undo.again", "forget.all", "forget.time"})
"""After "my code crashes" or "the build failed" these would mean something else."""

_SUBJECT = r"(?:i|we|it|that|this|there|you|he|she|they|(?:my|the|our|your) [a-z]+(?: [a-z]+)?)"
_VERB = (
    r"(?:am|is|are|was|were|have|has|had|can not|could not|do not|does not|did not|can barely|can hardly|just|already|"
    r"lost|keep|forgot|feel|got|will be|might be|hurts?|went|go|dropped|missed|need to|have to|do)"
)
_STATEMENT = re.compile(rf"(?:well |so |and |oh |sorry |okay )?{_SUBJECT} {_VERB} \S.*")
_REASON = re.compile(
    rf"(?:because|cause|cuz|since|so that|so|as|before|while|otherwise|or else|in case) {_SUBJECT} \S.*"
    r"|(?:because of|due to|thanks to) \S.*"
)
_MORE_THAN_TOLD = re.compile(
    r"\b(?:said|says?|saying|told|tells?|asked|asks?|called|named|titled|wrote|writes?|writing|should|must|think|wonder|"
    r"how|why|what|who|where|which|whether|if|when|unless|please|and|then|but|or|let|show|search|send|email|explain|"
    r"help|than|like|means?|meaning|supposed|sure|about|care|story|song|poem|movie|book|essay|sentence)\b"
)
_WISH = re.compile(r"\b(?:want|wants|need|needs|would|could|wish|have to|has to)\b")
_NOT_WANTED = re.compile(r"\bdo not (?:want|need) (?:to )?")
# A statement does not end where a noun or a verb must follow.
_UNFINISHED = frozenset(
    "a an the my your our his her its their this that these those to of in on at for with from by not and or is are "
    "was am were be been have has had do does did can could will would very so too just already always never often "
    "still no any some as than about into i you we they he she".split()
)
# What a command begins with when no pause was heard before it.
_OPENERS = frozenset(
    "set start stop cancel pause resume open close quit launch turn put make take add remind wake what how when where "
    "who which tell give show read check lock mute unmute flip roll pick spell convert calculate could can would will "
    "please say speak talk repeat list find search delete remove clear snooze bring switch note write jot mark louder "
    "quieter slower faster volume silence lower raise increase decrease crank grab capture".split()
)
# What a command ends with when its sentence is over without doubt: no relative clause can follow.
_ENDINGS = frozenset(
    "up down it louder quieter faster slower softer minutes minute hours hour seconds tomorrow tonight morning evening "
    "am pm noon midnight please now off mute unmute o'clock percent timer screenshot shot slowly".split()
)
_LONGEST, _LONGEST_NAME = 12, 5
_IT = re.compile(r"\b(?:all of them|them all|both of them|it|them|they|that|those)\b", re.IGNORECASE)
_PAUSE = re.compile(r"[,;!?…]+\s|[.:]\s|\s[-–—]+\s")


def cores(text: str) -> Iterator[str]:
    """``text`` without what is only told around it; the sentence itself is not among them."""
    chunks = [chunk for chunk in _PAUSE.split(text + " ") if chunk and chunk.strip()]
    if 1 < len(chunks) < 6:
        first, last = 0, len(chunks)
        while first < last - 1 and _told(split(chunks[first]), paused=True):
            first += 1
        while last > first + 1 and _told(split(chunks[last - 1]), paused=True):
            last -= 1
        if last - first < len(chunks):
            yield ", ".join(chunks[first:last])
        if len(chunks) == 2:
            yield from _named_first(*chunks)
    words = split(text)
    for cut in range(2, len(words) - 1):
        before, after = words[:cut], words[cut:]
        if after[0].norm in _OPENERS and before[-1].norm not in _UNFINISHED and _told(before, paused=False):
            yield raw(after)
        reason = bool(_REASON.fullmatch(norm(after)))
        over = reason or before[-1].norm in _ENDINGS or before[-1].norm.isdigit()
        if over and _told(after, paused=reason):
            yield raw(before)


def _named_first(name: str, order: str) -> Iterator[str]:
    """ "my alarms, what are they" as "what are my alarms"; "the timers, stop all of them" as "stop the timers"."""
    if len(name.split()) <= _LONGEST_NAME and (found := _IT.search(order)):
        yield f"{order[: found.start()]}{name}{order[found.end() :]}"


def _told(words: Words, *, paused: bool) -> bool:
    """Whether ``words`` only tell something. After a pause they may also say what somebody needs."""
    if not 2 < len(words) <= _LONGEST:
        return False
    text = _NOT_WANTED.sub("", norm(words))
    if not (_STATEMENT.fullmatch(norm(words)) or (paused and _REASON.fullmatch(norm(words)))):
        return False
    return not _MORE_THAN_TOLD.search(text) and (paused or not _WISH.search(text))
