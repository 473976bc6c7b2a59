"""What the QR code of ``01 pair`` says: where the server is, the one-time code, and how to know its certificate.

    zero-one://pair?host=192.168.1.5&host=box.local&port=10101&code=48210937&fp=<64 hex digits>&name=Box

``fp`` is the SHA-256 of the server's certificate (DER); without it the server speaks without TLS, which a client
accepts on its own machine alone. ``public`` may name an https address that reaches the same server through a tunnel
with a certificate of its own. A scheme may not begin with a digit (RFC 3986), so it is not ``01:``; that is read too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, urlencode, urlsplit

SCHEME = "zero-one"
_MOST_HOSTS = 8


@dataclass(frozen=True, slots=True)
class Invitation:
    """``code`` is eight digits, or empty where it is to be typed; ``fingerprint`` 64 lower-case hex digits or empty."""

    hosts: tuple[str, ...]
    port: int
    code: str = ""
    fingerprint: str = ""
    name: str = ""
    public: str = ""

    @property
    def places(self) -> tuple[tuple[str, int], ...]:
        """Host and port of each address; a host may bring its own port: ``box.example:443``, ``[2001:db8::1]:443``."""
        return tuple(_place(host, self.port) for host in self.hosts)

    @property
    def uri(self) -> str:
        fields = [("host", host) for host in self.hosts] + [("port", str(self.port)), ("code", self.code)]
        fields += [("fp", self.fingerprint), ("public", self.public), ("name", self.name)]
        return f"{SCHEME}://pair?" + urlencode([(key, value) for key, value in fields if value])


def is_invitation(text: str) -> bool:
    return text.strip().lower().startswith((f"{SCHEME}:", "01:"))


def read_invitation(text: str) -> Invitation:
    """Raises ValueError with a text for people."""
    given = text.strip()
    whole = "This is no pairing code of an 01. Copy the whole line that 01 pair shows; it begins with zero-one://pair?"
    if not is_invitation(given):
        raise ValueError(whole)
    rest = given.partition(":")[2]
    parts = urlsplit(f"{SCHEME}:{rest}")
    if parts.netloc != "pair":
        raise ValueError(whole)
    fields = parse_qs(parts.query)

    def one(name: str) -> str:
        return fields.get(name, [""])[-1].strip()

    hosts = tuple(dict.fromkeys(host.strip() for host in fields.get("host", []) if _plain_host(host.strip())))
    port, fingerprint = one("port"), read_fingerprint(one("fp"))
    public = one("public")
    if public and urlsplit(public).scheme != "https":
        raise ValueError("The public address in this pairing code is not https, so it is not used. Run 01 pair again.")
    if not (hosts or public) or not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise ValueError(whole)
    return Invitation(hosts[:_MOST_HOSTS], int(port), digits(one("code")), fingerprint, one("name")[:60], public)


def read_fingerprint(text: str) -> str:
    """64 lower-case hex digits, however they were grouped; empty for an empty text. Raises ValueError."""
    bare = re.sub(r"[\s:.-]", "", text).lower()
    if bare and not re.fullmatch(r"[0-9a-f]{64}", bare):
        raise ValueError("The certificate's fingerprint must be 64 hex digits, as 01 pair shows it.")
    return bare


def shown_fingerprint(fingerprint: str) -> str:
    """In groups of four, so that two people can compare it aloud: two lines of eight groups."""
    groups = [fingerprint[at : at + 4] for at in range(0, len(fingerprint), 4)]
    return "\n".join(" ".join(groups[at : at + 8]) for at in range(0, len(groups), 8))


def _place(host: str, port: int) -> tuple[str, int]:
    match = re.fullmatch(r"\[(?P<six>[^\]]+)\](?::(?P<p6>\d{1,5}))?|(?P<name>[^:]+):(?P<p>\d{1,5})", host)
    if match is None:
        return host, port
    given = int(match["p6"] or match["p"] or port)
    return match["six"] or match["name"], given if 0 < given < 65536 else port


def digits(code: str) -> str:
    return "".join(letter for letter in code if letter.isascii() and letter.isdigit())


def _plain_host(host: str) -> bool:
    return bool(re.fullmatch(r"[0-9A-Za-z._:%\[\]-]{1,253}", host))
