"""Secrets are taken out of what the model and the logs see.

Two kinds: values that we know to be secret (keys of the profile, of the environment), plain and encoded, and texts of a
shape that only secrets have (keys of well-known services, tokens, private keys, headers, passwords in addresses and
assignments). Time is linear in the text: every repetition in the expressions is bounded or cannot be tried twice.
"""

from __future__ import annotations

import base64
import json
import re
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping

MASK = "[secret]"
SHORTEST = 8
"""Characters: shorter values would be found in innocent words."""
HELD = 512
"""Characters of a word without an end that a stream holds back; of one that looks like a secret, ``HELD_LONG``."""
HELD_LONG = 16_384
_CONTEXT = 300

_SECRET_NAME = re.compile(
    r"(?i)(?:key|token|secret|passw(?:or)?d|passphrase|credential|cookie|auth|session|dsn)s?(?:_|$)"
)
_NO_SECRET = re.compile(r"(?i)(?:[/~.]|[a-z]:\\|true$|false$|none$|null$|\d{1,12}$|https?://[^@]*$)")

_TOKEN = re.compile(
    r"""(?<![A-Za-z0-9_])(?:
    sk-(?=[\w-]{0,48}?\d)[\w-]{16,}+            # OpenAI, Anthropic, OpenRouter and those that follow them
    |(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}+
    |gh[pousr]_[A-Za-z0-9]{20,}+|github_pat_\w{20,}+|gl(?:pat|dt|cbt|rt|ft)-[\w-]{16,}+
    |xox[abeoprs]-[A-Za-z0-9-]{10,}+|xapp-[A-Za-z0-9-]{10,}+
    |(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{16}(?![A-Za-z0-9])
    |AIza[\w-]{35}|ya29\.[\w-]{20,}+|GOCSPX-[\w-]{20,}+
    |eyJ[\w-]{6,}+\.eyJ[\w-]{4,}+(?:\.[\w-]*+)?|eyJ[\w-]{10,}+\.[\w-]{10,}+\.[\w-]{10,}+
    |01_[0-9a-f]{12}_[\w-]{20,}+
    |hf_[A-Za-z0-9]{20,}+|npm_[A-Za-z0-9]{30,}+|pypi-[\w-]{30,}+|gsk_[A-Za-z0-9]{20,}+|xai-[A-Za-z0-9]{30,}+
    |SG\.[\w-]{16,}+\.[\w-]{16,}+|dop_v1_[0-9a-f]{40,}+|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32,}+
    |AGE-SECRET-KEY-1[A-Z0-9]{40,}+|\d{8,10}:AA[\w-]{33}|lin_api_[A-Za-z0-9]{30,}+|sq0(?:atp|csp)-[\w-]{20,}+
    )""",
    re.VERBOSE,
)
_NAME = (
    r"(?:passwords?|passwd|passphrase|passcode|pwd|secrets?|api[_-]?keys?|apikey|secret[_-]?keys?|access[_-]?keys?|"
    r"auth[_-]?tokens?|access[_-]?tokens?|refresh[_-]?tokens?|bearer[_-]?tokens?|private[_-]?keys?|client[_-]?secrets?|"
    r"encryption[_-]?keys?|token)"
)
_ASSIGNED = re.compile(
    rf"""(?i)(?<![A-Za-z0-9])(?:[A-Za-z0-9_-]{{0,40}}[_-])?(?P<name>{_NAME})["']?[ \t]{{0,4}}(?:=>|:=|[:=])[ \t]{{0,4}}
    (?:(?P<q>["'])(?P<quoted>[^"'\r\n]{{4,200}}+)|(?P<bare>[^\s"'`,;(){{}}\[\]<>&|\\$]{{4,}}+)(?P<call>[(\[])?)""",
    re.VERBOSE,
)
_FLAG = re.compile(rf"""(?i)(?<![\w-])--?{_NAME}[ \t]{{1,4}}(?P<v>["']?[^\s"'-][^\s"']{{3,}}+)""")
_USER = re.compile(r"""(?<![\w-])(?:-u|--user)[ \t]{1,4}["']?[^\s:"']{1,80}+:(?P<v>[^\s"']{1,200}+)""")
_HEADER = re.compile(
    r"""(?i)(?<![\w-])(?:(?:proxy-)?authorization|x-(?:api|auth|goog-api|amz-security)-(?:key|token)|(?:set-)?cookie2?)
    ["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?P<v>[^\r\n"']{4,4000}+)""",
    re.VERBOSE,
)
_BEARER = re.compile(r"(?i)(?<![\w-])bearer[ \t]{1,4}(?P<v>[\w.~+/=-]{16,}+)")
_ADDRESS = re.compile(r"(?i)(?<![a-z0-9])[a-z][a-z0-9+.-]{1,20}+://[^\s/:@\"'?#]{0,100}+:(?P<v>[^\s/@\"']{1,200}+)@")
_QUERY = re.compile(
    r"(?i)[?&;](?:access_token|refresh_token|id_token|token|api_?key|key|sig|signature|x-amz-signature|password|passwd|"
    r"secret|client_secret|code)=(?P<v>[^&\s\"'#;<>]{8,}+)"
)
_WORDS = frozenset(
    "string str text bytes required optional none null nil true false undefined integer boolean number object array "
    "any empty missing hidden unset redacted changed invalid wrong correct incorrect expired secret password token "
    "enabled disabled default example unknown change_me your_password".split()
)
_PEM_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_LONGEST_PEM = 16_000

# The end of a text that may be the beginning of a secret.
_OPEN = (
    re.compile(rf"""(?i){_NAME}["']?[ \t]{{0,4}}(?:=>|:=|[:=])[ \t]{{0,4}}["'][^"'\r\n]{{0,200}}$"""),
    re.compile(r"""(?i)(?:authorization|-key|-token|cookie2?)["']?[ \t]{0,4}[:=][^\r\n]{0,4100}$"""),
    re.compile(r"-----BEGIN[A-Z0-9 ]{0,60}-{0,5}$"),
)
_LOOKS_LONG = re.compile(r"eyJ|01_|sk-|pypi-|github_pat_|://|AGE-")


def environment_secrets(environ: Mapping[str, str]) -> Iterator[str]:
    """Values of the environment whose names say that they are secret."""
    for name, value in environ.items():
        if _SECRET_NAME.search(name) and len(value) >= SHORTEST and not _NO_SECRET.match(value):
            yield value


class Redactor:
    """``known`` are values that are secret because we know them to be; more can be added later."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._known: tuple[str, ...] = ()
        self._forms: tuple[str, ...] = ()
        self._spaced: tuple[str, ...] = ()
        self.add(known)

    def add(self, known: Iterable[str]) -> None:
        """More values that are secret."""
        lines = {line.strip() for value in known for line in (value, *value.splitlines())}
        fitting = {line for line in lines if len(line) >= SHORTEST} | set(self._known)
        self._known = tuple(sorted(fitting, key=lambda v: (-len(v), v)))
        self._forms = tuple(dict.fromkeys(form for value in self._known for form in (value, *_encoded(value))))
        self._spaced = (*self._known, *(form for form in self._forms if " " in form and form not in self._known))

    def text(self, text: str) -> str:
        """The text with a mask in the place of every secret."""
        spans = self._spans(text)
        return _masked(text, spans, 0, len(text)) if spans else text

    def stream(self) -> Stream:
        """For a text that comes in pieces."""
        return Stream(self)

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Where secrets are, merged, in order."""
        found: list[tuple[int, int]] = []
        for value in self._forms:
            at = text.find(value)
            while at >= 0:
                found.append((at, at + len(value)))
                at = text.find(value, at + len(value))
        found += [match.span() for match in _TOKEN.finditer(text)]
        if "=" in text or ":" in text or "-" in text:
            found += _named(text)
            for pattern in (_FLAG, _USER, _HEADER, _BEARER, _ADDRESS, _QUERY):
                found += [match.span("v") for match in pattern.finditer(text)]
        found += _pem(text)
        return _merged(found)

    def _unfinished(self, text: str) -> int:
        """Where the end of the text may begin a secret; the length of the text if nowhere."""
        end = len(text)
        hold = end
        tail = text[-HELD_LONG:]
        word = len(tail) - len(tail.rsplit(None, 1)[-1]) if tail and not tail[-1].isspace() else len(tail)
        if word < len(tail):
            run = tail[word:]
            long = _LOOKS_LONG.search(run)
            most = HELD_LONG if long is not None else HELD
            hold = end - min(len(run), most)
        for pattern in _OPEN:
            if (match := pattern.search(text, max(0, end - HELD_LONG))) is not None:
                hold = min(hold, match.start())
        for value in self._spaced:
            for size in range(min(len(value) - 1, end), 0, -1):
                if text.endswith(value[:size]):
                    hold = min(hold, end - size)
                    break
        return hold


def _encoded(value: str) -> Iterator[str]:
    """A value as it is written down to hide or to carry it: base64 at each offset, hex, quoted, reversed."""
    raw = value.encode("utf-8", "replace")
    for offset in range(3):
        padded = base64.b64encode(bytes(offset) + raw).decode()
        # What its own bits alone decide, whatever stands before and behind it.
        plain = padded[-(-offset * 8 // 6) : (offset + len(raw)) * 8 // 6]
        yield from (plain, plain.translate(_URL_SAFE))
    yield from (base64.b32encode(raw).decode()[: len(raw) * 8 // 5], raw.hex(), raw.hex().upper(), value[::-1])
    yield from (urllib.parse.quote(value, safe=""), urllib.parse.quote_plus(value), json.dumps(value)[1:-1])
    yield from (raw.hex(" "), raw.hex(":"))


_URL_SAFE = str.maketrans("+/", "-_")


class Stream:
    """``feed`` returns what is safe to show by now; ``finish`` the rest. At most ``HELD_LONG`` characters wait."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._shown = ""  # the end of what was given out, as it came: a name before its value
        self._held = ""
        self._swallow = False  # inside a secret that was too long to wait for its end

    def feed(self, piece: str) -> str:
        return self._give(piece, last=False)

    def finish(self) -> str:
        return self._give("", last=True)

    def _give(self, piece: str, *, last: bool) -> str:
        if self._swallow:
            rest = re.search(r"[\s\"']", piece)
            if rest is None:
                return ""
            piece, self._swallow = piece[rest.start() :], False
        self._held += piece
        text = self._shown + self._held
        start = len(self._shown)
        spans = self._redactor._spans(text)
        hold = len(text) if last else max(start, self._redactor._unfinished(text))
        if not last:
            for begin, end in reversed(spans):
                if end >= hold and begin < hold:
                    hold = max(start, begin)
        if len(text) - hold > HELD_LONG:  # it has waited long enough: what looks like a secret goes out as a mask
            hold = len(text)
            self._swallow = bool(spans) and spans[-1][1] == hold
        out = _masked(text, spans, start, hold)
        self._shown, self._held = _context(text[:hold]), text[hold:]
        return out


def _context(shown: str) -> str:
    """The end of what was shown, from the beginning of a word on."""
    tail = shown[-_CONTEXT:]
    if len(tail) < len(shown):
        _, *rest = re.split(r"\s", tail, maxsplit=1)
        tail = rest[0] if rest else tail
    return tail


def _named(text: str) -> Iterator[tuple[int, int]]:
    for match in _ASSIGNED.finditer(text):
        if match["quoted"] is not None:
            yield match.span("quoted")
            continue
        value = match["bare"]
        if match["call"] or value.lower().rstrip(".!") in _WORDS or value.startswith(("=", "//")):
            continue
        plain = value.isidentifier() or re.fullmatch(r"[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)+", value)
        glued = text[match.end("name")] in "=:" and text[match.end("name") + 1 : match.start("bare")] == ""
        pass_word = match["name"].lower().startswith("pass")
        if plain and not any(c.isdigit() for c in value) and not (glued or pass_word):
            continue  # a variable, a type, a word of a sentence
        if plain and "." in value:
            continue
        yield match.span("bare")


def _pem(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    while (begin := _PEM_BEGIN.search(text, at)) is not None:
        end = _PEM_END.search(text, begin.end(), begin.end() + _LONGEST_PEM)
        at = end.end() if end is not None else min(len(text), begin.end() + _LONGEST_PEM)
        yield begin.start(), at


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for begin, end in sorted(spans):
        if out and begin <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((begin, end))
    return out


def _masked(text: str, spans: list[tuple[int, int]], start: int, stop: int) -> str:
    """``text[start:stop]`` with masks; of a span that began before, the rest is left out."""
    parts: list[str] = []
    at = start
    for begin, end in spans:
        if end <= start or begin >= stop:
            continue
        if begin >= at:
            parts.append(text[at:begin])
        if begin >= start:
            parts.append(MASK)
        at = min(max(at, end), stop)
    parts.append(text[at:stop])
    return "".join(parts)
