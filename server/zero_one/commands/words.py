"""From what somebody said or typed to the plain words that the grammar knows, politeness and stumbling taken off.

``readings(text)`` gives the ways to take an utterance, the most faithful first; the first one that a template
consumes whole is what was meant. Words keep their written form, so that a note keeps its capitals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """One word as the grammar sees it and as it was written (empty where the writing had one word for two)."""

    norm: str
    raw: str


Words = tuple[Word, ...]

_EXPANSIONS = {
    "what's": "what is", "whats": "what is", "where's": "where is", "wheres": "where is", "when's": "when is",
    "whens": "when is", "who's": "who is", "whos": "who is", "how's": "how is", "hows": "how is",
    "that's": "that is", "it's": "it is", "there's": "there is", "here's": "here is", "let's": "let us",
    "i'm": "i am", "im": "i am", "i've": "i have", "ive": "i have", "i'd": "i would", "i'll": "i will",
    "you're": "you are", "you've": "you have", "you'd": "you would", "you'll": "you will", "we've": "we have",
    "don't": "do not", "dont": "do not", "can't": "can not", "cant": "can not", "cannot": "can not",
    "isn't": "is not", "won't": "will not", "doesn't": "does not", "didn't": "did not", "wouldn't": "would not",
    "gimme": "give me", "lemme": "let me", "wanna": "want to", "gonna": "going to", "gotta": "got to",
    "whatcha": "what do you", "dunno": "do not know", "kinda": "kind of", "tellme": "tell me",
    "ok": "okay", "okey": "okay", "pls": "please", "plz": "please", "plse": "please", "thx": "thanks", "ty": "thanks",
    "u": "you", "ur": "your", "r": "are", "tmrw": "tomorrow", "tmr": "tomorrow", "tomorow": "tomorrow",
    "todo": "to do", "todos": "to dos", "to-do": "to do", "to-dos": "to dos", "wifi": "wi fi", "wi-fi": "wi fi",
    "alright": "all right", "goodbye": "good bye", "nevermind": "never mind", "screenshot": "screen shot",
    "screenshots": "screen shots", "stopwatch": "stop watch", "webpage": "web page", "website": "web site",
    "websites": "web sites", "homepage": "home page", "desk-top": "desktop", "timezone": "time zone",
    "uptime": "up time", "screengrab": "screen grab", "screencap": "screen cap", "pc": "computer", "p.c": "computer",
    "laptop": "computer", "machine": "computer", "mac": "computer", "system": "computer", "hdd": "hard drive",
    "o'clock": "o'clock", "oclock": "o'clock", "per cent": "percent", "gigs": "gigabytes", "favourite": "favorite",
}  # fmt: skip
# Recognisers write these apart or spell out the letters.
_JOIN = {
    ("a", "m"): "am", ("p", "m"): "pm", ("c", "p", "u"): "cpu", ("i", "p"): "ip", ("u", "r", "l"): "url",
    ("r", "a", "m"): "ram", ("o", "clock"): "o'clock", ("per", "cent"): "percent", ("can", "not"): "can not",
    ("down", "load"): "download", ("down", "loads"): "downloads", ("clip", "board"): "clipboard",
    ("note", "book"): "notebook", ("desk", "top"): "desktop", ("lap", "top"): "computer", ("fire", "fox"): "firefox",
    ("you", "tube"): "youtube", ("p", "c"): "computer", ("un", "mute"): "unmute", ("any", "more"): "anymore",
}  # fmt: skip
_HESITATIONS = {
    "uh", "um", "uhm", "er", "erm", "hmm", "hm", "mm", "mmm", "ah", "eh", "uhh", "umm", "ummm", "uhhh", "err", "errm",
    "huh", "mhm",
}  # fmt: skip
_GERUNDS = {
    "telling": "tell", "setting": "set", "opening": "open", "showing": "show", "giving": "give", "taking": "take",
    "turning": "turn", "starting": "start", "stopping": "stop", "making": "make", "adding": "add", "reading": "read",
    "finding": "find", "locking": "lock", "checking": "check", "cancelling": "cancel", "canceling": "cancel",
    "reminding": "remind", "waking": "wake", "putting": "put", "muting": "mute", "unmuting": "unmute",
    "flipping": "flip", "tossing": "toss", "rolling": "roll", "picking": "pick", "launching": "launch",
    "closing": "close", "bringing": "bring", "pulling": "pull", "listing": "list", "searching": "search",
    "looking": "look", "repeating": "repeat", "saying": "say", "spelling": "spell", "copying": "copy",
    "writing": "write", "jotting": "jot", "noting": "note", "deleting": "delete", "removing": "remove",
    "raising": "raise", "lowering": "lower", "increasing": "increase", "decreasing": "decrease",
    "converting": "convert", "calculating": "calculate", "working": "work", "speaking": "speak", "talking": "talk",
    "letting": "let", "going": "go", "capturing": "capture", "grabbing": "grab", "cranking": "crank",
    "counting": "count", "creating": "create", "getting": "get", "pausing": "pause", "resetting": "reset",
    "running": "run", "locating": "locate", "visiting": "visit", "switching": "switch", "dropping": "drop",
    "throwing": "throw", "firing": "fire", "scheduling": "schedule", "marking": "mark", "ticking": "tick",
    "crossing": "cross", "bumping": "bump", "slowing": "slow", "speeding": "speed", "quieting": "quiet",
    "extending": "extend", "choosing": "choose", "generating": "generate", "putting up": "put up",
}  # fmt: skip

# What may stand before a command without changing it. Longest first within one step; steps repeat.
_LEADS = (
    "would you be so kind as to", "would you be kind enough to", "be so kind as to", "if you would not mind could you",
    "i was wondering if you could", "i was wondering if you can", "i wonder if you could", "i was hoping you could",
    "do you think you could", "do you think you can", "would it be possible for you to", "would it be possible to",
    "is it possible for you to", "is it possible to", "is there any chance you could", "any chance you could",
    "any chance you can", "is there a way to", "is there any way you could", "is there any way to",
    "it would be great if you could", "it would be nice if you could", "i would appreciate it if you could",
    "i would really like you to", "i would like you to", "i would love you to", "i would like for you to",
    "i want you to", "i need you to", "i am going to need you to", "i will need you to", "i would like to",
    "i want to", "i need to", "i would love to", "i have got to", "let us", "how about you", "why do not you",
    "do me a favor and", "do me a favour and", "do me a favor", "do me a favour", "be a dear and", "be a darling and",
    "go ahead and", "make sure to", "make sure you", "would you please", "could you please", "can you please",
    "will you please", "could you", "would you", "can you", "will you", "can we", "could we", "can i", "could i",
    "may i", "might i", "shall we", "could you possibly", "are you able to", "will you be able to", "you should",
    "you can", "you could", "please could you", "try to", "try and", "help me to", "help me", "time to", "if you could",
    "if you can", "if you do not mind", "if possible", "when you get a chance", "when you can", "when you have a moment",
    "hey there", "hey", "hi there", "hi", "hello", "okay", "all right", "right", "so", "well", "now", "then", "yo",
    "oh", "and", "but", "actually", "listen", "look", "sorry", "excuse me", "pardon me", "please", "just", "quickly",
    "quick", "real quick", "really quick", "kindly", "basically", "also", "like", "i mean", "you know", "you know what",
    "let me see", "let me think", "yeah", "yes", "yep", "no", "good morning", "good evening", "good afternoon",
    "thanks", "thank you", "great", "cool", "perfect", "maybe", "perhaps", "possibly", "honestly", "computer",
    "assistant", "zero one", "01", "oh one", "dear computer", "my dear", "buddy", "mate", "dude", "man", "friend",
    "do you want to", "i think", "i guess", "i suppose", "i said", "say", "a quick question", "quick question",
    "question", "for me", "one more thing", "first", "next", "finally", "anyway", "anyways", "ooh", "wait", "before i forget",
    "i forgot", "again", "once more", "simply", "you", "there",
)  # fmt: skip
_GERUND_LEADS = (
    "would you mind", "do you mind", "mind", "how about", "what about", "would you consider", "i would appreciate you",
    "i feel like", "do you feel like", "thanks for", "if you would not mind", "could you help me with", "start",
)  # fmt: skip
# Ways to ask for knowledge; a query template begins after them.
_ASKS = (
    "could you tell me", "can you tell me", "tell me", "let me know", "do you know", "do you happen to know",
    "would you know", "do you have any idea", "have you any idea", "any idea", "i want to know", "i would like to know",
    "i need to know", "i am wondering", "i was wondering", "i wonder", "wondering", "i am curious", "i would love to know",
    "would you be able to tell me", "can you say", "say", "show me", "give me", "get me", "check", "find out", "check on",
    "remind me", "inform me", "fill me in on", "update me on", "brief me on", "i have to know", "i must know", "figure out",
    "have a look at", "take a look at", "look up", "have you got", "do you have", "tell", "i need", "can i get",
    "can i have", "could i get", "could i have", "may i have", "i would like", "let me have", "let me see", "let me hear",
    "i want", "i wanna know", "know", "see", "hear", "curious", "just curious", "are you able to tell me",
    "can you give me", "what about", "how about", "read me", "read out", "tell me again", "please tell me",
)  # fmt: skip
_TAILS = (
    "please", "pretty please", "thanks", "thank you", "thanks a lot", "thank you very much", "thank you so much",
    "thanks so much", "many thanks", "cheers", "for me", "for me please", "real quick", "really quick", "quickly",
    "quick", "if you can", "if you could", "if you would", "if you do not mind", "if you would not mind",
    "if possible", "if that is okay", "if that is possible", "if you please", "if that is all right",
    "if it is not too much trouble", "when you get a chance", "when you can", "when you have a moment",
    "would you", "will you", "could you", "can you", "buddy", "mate", "dude", "man", "computer", "assistant", "zero one",
    "my friend", "friend", "okay", "all right", "right", "you know", "asap", "as soon as possible", "will you please",
    "would you please", "do you know", "or something", "or so", "i guess", "i think", "yeah", "too", "as well", "though",
    "will ya", "would ya", "ya", "love", "dear", "sir", "ta", "kindly", "by any chance", "on your own",
)  # fmt: skip
_NOW_TAILS = (
    "right now", "now", "just now", "right away", "at the moment", "at this moment", "currently", "presently",
    "immediately", "straight away", "at once", "at present", "at this time", "as of now", "this instant", "these days",
    "right this second", "this very moment", "again", "then", "already", "exactly", "today", "anyway", "for us", "in here",
    "here", "over here", "on it", "a bit", "for a second", "for a sec", "for a moment", "for a minute", "going", "out loud",
    "aloud", "out",
)  # fmt: skip
_SOFT = (
    "like", "just", "please", "you know", "i mean", "basically", "actually", "quickly", "real quick", "really quick",
    "for me", "so", "well", "maybe", "kindly", "sort of", "kind of", "perhaps", "possibly", "really", "literally",
    "simply", "okay", "right now", "currently", "exactly", "now", "ever", "even", "again", "also", "then", "yeah",
    "right", "quick", "there", "let us see", "let me see", "let me think", "what is it called", "whatever", "anyway",
    "say", "computer", "at all", "at the moment", "presently", "nice", "honestly", "if you can", "if possible", "if you could",
)  # fmt: skip
_CORRECTIONS = (
    "no wait", "wait no", "no sorry", "sorry no", "sorry", "i mean", "no i mean", "scratch that", "make that", "or rather",
    "rather", "no make that", "no actually", "actually no", "wait", "no", "sorry i mean", "actually make that", "oops",
    "correction", "i meant", "no no", "well no", "actually", "hang on", "hold on",
)  # fmt: skip
_KEEP_BEFORE_THANKS = {"say", "saying", "of", "to", "and", "my", "a", "the", "with", "spell", "word"}


def _phrases(*groups: tuple[str, ...]) -> list[tuple[str, ...]]:
    found = {tuple(phrase.split()) for group in groups for phrase in group}
    return sorted(found, key=lambda phrase: (-len(phrase), phrase))


_LEAD_WORDS, _GERUND_WORDS = _phrases(_LEADS), _phrases(_GERUND_LEADS, ("would you be", "could you be"))
_ASK_WORDS, _TAIL_WORDS, _NOW_WORDS = _phrases(_ASKS), _phrases(_TAILS), _phrases(_NOW_TAILS)
_SOFT_WORDS, _CORRECTION_WORDS = _phrases(_SOFT), _phrases(_CORRECTIONS)
_MAX_WORDS = 60
_EDGE = "\"'`“”‘’«»()[]{}<>,;!?…*_~|"


def split(text: str) -> Words:
    """The words of ``text``: lower case, contractions expanded, punctuation off, hesitations out."""
    text = text.replace("’", "'").replace("‘", "'").replace("–", " - ").replace("—", " - ").replace("…", " ")
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    text = re.sub(r"\b([ap])\.\s?m\b\.?", r"\1m", text, flags=re.IGNORECASE)
    words: list[Word] = []
    for raw in text.split():
        bare = raw.strip(_EDGE).rstrip(".:").strip(_EDGE)
        if bare.startswith(".") and not re.match(r"\.\w", bare):
            bare = bare.lstrip(".")
        if not bare or not re.search(r"[\w+\-*/=^%°$€£]", bare):
            continue
        low = bare.lower()
        if low in _HESITATIONS or re.fullmatch(r"u+h+|u+m+|e+r+m*|h*m{2,}|a+h+", low):
            continue
        if low in _EXPANSIONS:
            parts = _EXPANSIONS[low].split()
            words += [Word(part, bare if i == 0 else "") for i, part in enumerate(parts)]
        elif re.fullmatch(r"[a-z]+(-[a-z]+)+", low):
            words += [Word(part, piece) for part, piece in zip(low.split("-"), bare.split("-"), strict=True)]
        elif re.fullmatch(r"[a-z]+(,[a-z]+)+", low):
            words += [Word(part, part) for part in low.split(",")]
        else:
            words.append(Word(low.removesuffix("'s") if low in ("today's", "tonight's") else low, bare))
        if len(words) > _MAX_WORDS:
            return ()
    return _join(words)


def _join(words: list[Word]) -> Words:
    out: list[Word] = []
    at = 0
    while at < len(words):
        for size in (3, 2):
            key = tuple(word.norm for word in words[at : at + size])
            if key in _JOIN:
                raw = " ".join(word.raw for word in words[at : at + size])
                out += [Word(part, raw) for part in _JOIN[key].split()]
                at += size
                break
        else:
            out.append(words[at])
            at += 1
    return tuple(out)


def norm(words: Words) -> str:
    return " ".join(word.norm for word in words)


def raw(words: Words) -> str:
    return " ".join(word.raw for word in words if word.raw)


def _starts(words: Words, phrase: tuple[str, ...]) -> bool:
    return len(words) >= len(phrase) and tuple(word.norm for word in words[: len(phrase)]) == phrase


def _ends(words: Words, phrase: tuple[str, ...]) -> bool:
    return len(words) >= len(phrase) and tuple(word.norm for word in words[-len(phrase) :]) == phrase


def _without_tail(words: Words, tails: list[tuple[str, ...]]) -> Words:
    while True:
        for tail in tails:
            if len(words) > len(tail) and _ends(words, tail):
                if words[-len(tail) - 1].norm in _KEEP_BEFORE_THANKS:
                    continue
                words = words[: -len(tail)]
                break
        else:
            return words


def _leads(words: Words, depth: int = 6) -> Iterator[Words]:
    """``words`` with ever more of the opening taken off."""
    yield words
    if depth == 0:
        return
    for phrase in _GERUND_WORDS:
        if _starts(words, phrase) and len(words) > len(phrase):
            after = words[len(phrase) :]
            if after[0].norm in _GERUNDS:
                yield from _leads((Word(_GERUNDS[after[0].norm], after[0].raw), *after[1:]), depth - 1)
                return
    for phrases in (_LEAD_WORDS, _ASK_WORDS):
        for phrase in phrases:
            if _starts(words, phrase) and len(words) > len(phrase):
                yield from _leads(words[len(phrase) :], depth - 1)
                break


def _unrepeated(words: Words) -> Words:
    """Stumbles said once: "set set a timer", "set a set a timer"."""
    changed = True
    while changed:
        changed = False
        for size in (3, 2, 1):
            for at in range(len(words) - 2 * size + 1):
                first, second = words[at : at + size], words[at + size : at + 2 * size]
                if norm(first) == norm(second) and not (size == 1 and first[0].norm.isdigit()):
                    words = words[:at] + words[at + size :]
                    changed = True
                    break
            if changed:
                break
    return words


def _unsoftened(words: Words) -> Words:
    out: list[Word] = []
    at = 0
    while at < len(words):
        for phrase in _SOFT_WORDS:
            if _starts(words[at:], phrase):
                at += len(phrase)
                break
        else:
            out.append(words[at])
            at += 1
    return tuple(out)


def _restarts(words: Words) -> Iterator[Words]:
    """ "what's the, what time is it": a fresh start repeats the first word within the next few."""
    for at in range(1, min(5, len(words) - 1)):
        if words[at].norm == words[0].norm:
            yield words[at:]


def _corrected(words: Words) -> Iterator[Words]:
    """ "ten no wait fifteen minutes": the words after the correction replace some right before it."""
    for at in range(1, len(words) - 1):
        for phrase in _CORRECTION_WORDS:
            if _starts(words[at:], phrase) and at + len(phrase) < len(words):
                new = words[at + len(phrase) :]
                for back in range(1, min(4, at) + 1):
                    yield words[: at - back] + new
                break


def readings(text: str) -> Iterator[Words]:
    """The ways to take ``text``, most faithful first, none twice."""
    words = split(text)
    if not words:
        return
    seen: set[str] = set()
    polite = _without_tail(words, _TAIL_WORDS)
    bases = [polite, _unrepeated(polite), _without_tail(polite, _NOW_WORDS + _TAIL_WORDS)]
    bases += [words, _unsoftened(_unrepeated(polite)), _unrepeated(_unsoftened(_without_tail(polite, _NOW_WORDS)))]
    bases += [_without_tail(_unsoftened(_unrepeated(polite)), _NOW_WORDS + _TAIL_WORDS)]
    bases += list(_restarts(_unrepeated(polite)))
    bases += list(_corrected(polite))
    for base in bases:
        for reading in _leads(base):
            if reading and (key := norm(reading)) not in seen:
                seen.add(key)
                yield reading
