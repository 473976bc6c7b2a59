"""Things with dots and slashes in them: links, e-mail, network addresses, paths, file names, identifiers, versions."""

from __future__ import annotations

import re

from zero_one.speech.wording import numbers, units

_EXTENSIONS = (
    "txt|pdf|py|js|ts|tsx|jsx|json|ya?ml|toml|md|rst|csv|tsv|xlsx?|docx?|pptx?|odt|png|jpe?g|gif|svg|webp|mp[34]|wav|ogg|"
    "flac|mkv|mov|avi|zip|tar|gz|bz2|xz|7z|exe|dmg|iso|deb|rpm|sh|bat|c|h|cc|cpp|hpp|rs|go|java|kt|rb|php|html?|css|xml|"
    "sql|db|log|ini|cfg|conf|env|lock|bak|tmp|onnx|bin|ipynb"
)
_SPELLED = {
    "txt": "text", "json": "Jason", "yaml": "YAML", "yml": "YAML", "toml": "TOML", "zip": "zip", "tar": "tar",
    "log": "log", "lock": "lock", "bin": "bin", "env": "env", "bat": "bat", "doc": "doc", "docx": "doc X",
    "tmp": "temp",
    "conf": "conf", "jpg": "J peg", "jpeg": "J peg", "gif": "gif", "java": "java", "go": "go", "mov": "mov",
    "ini": "ini", "onnx": "onyx", "com": "com", "org": "org", "net": "net", "edu": "E D U", "gov": "gov", "io": "I O",
    "ai": "A I", "dev": "dev", "app": "app", "info": "info", "www": "W W W",
}  # fmt: skip

_EMAIL = re.compile(r"(?:mailto:)?\b([\w.+%-]+)@((?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,})\b")
_URL = re.compile(r"\b(?:https?|ftp|file|wss?)://([^\s<>\"'()\[\]{}]*[^\s<>\"'()\[\]{}.,;:!?*_~|])", re.IGNORECASE)
_BARE_URL = re.compile(
    r"\b((?:www\.[a-z0-9-]+(?:\.[a-z0-9-]+)+|(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|edu|gov|app|ai|co\.uk|de))"
    r"(?:/[^\s<>\"'()]*[^\s<>\"'().,;:!?*_~|])?)(?![\w@])",
    re.IGNORECASE,
)
_IPV4 = re.compile(r"(?<![\d.])((?:\d{1,3}\.){3}\d{1,3})(/\d{1,2})?(:\d{2,5})?(?![\d.]*\d)")
_IPV6 = re.compile(
    r"(?<![\w:])((?:[0-9a-f]{1,4}:){2,7}(?::?[0-9a-f]{1,4}){1,6}|::1|(?:[0-9a-f]{1,4}:)+:(?:[0-9a-f]{1,4})?)(?![\w:])",
    re.IGNORECASE,
)
_MAC = re.compile(r"\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b", re.IGNORECASE)
_HOST_PORT = re.compile(r"\blocalhost:(\d{2,5})\b", re.IGNORECASE)
_UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-([0-9a-f]{12})\b", re.IGNORECASE)
_HASH = re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,128}\b", re.IGNORECASE)
_HEX = re.compile(r"\b0x([0-9a-f]{1,16})\b", re.IGNORECASE)
_WINDOWS_PATH = re.compile(r"(?<!\w)([A-Za-z]):\\([^\s\"'<>|*?]*)")
_UNIX_PATH = re.compile(r"(?<![\w/.])(~|\.{1,2})?(/[\w.@+-]+(?:/[\w.@+-]+)*/?)(?<![.,])")
_RELATIVE_PATH = re.compile(rf"(?<![\w/])((?:[\w.-]+/)+[\w-]+\.(?:{_EXTENSIONS}))\b(?!/)", re.IGNORECASE)
_FILE = re.compile(rf"(?<![\w.])([A-Za-z0-9_][\w-]*(?:\.[\w-]+)*?)\.({_EXTENSIONS})\b(?![./]\w)", re.IGNORECASE)
_DOTFILE = re.compile(r"(?<![\w./])\.([a-z][a-z0-9_-]{2,})\b")
_VERSION = re.compile(r"\bv(\d+(?:\.\d+)*)\b|(?<![\d.])(\d+\.\d+\.\d+(?:\.\d+)*)(?!\.?\d)", re.IGNORECASE)
_SNAKE = re.compile(r"\b_*([A-Za-z]+[A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+)_*(?:\(\))?")
_CALL = re.compile(r"\b([A-Za-z]\w*)\(\)")
_CAMEL = re.compile(r"\b[a-z]+(?:[A-Z][a-z]+)+[A-Z]?\b|\b(?:[A-Z][a-z]{2,}){3,}\b")
_FLAG = re.compile(r"(?<!\S)--?([A-Za-z][\w-]*)(?:=(\S+))?")


def say(text: str) -> str:
    """Every such thing in ``text`` as words."""
    text = _URL.sub(lambda m: _url(m[1]), text)
    text = _EMAIL.sub(lambda m: f"{_pieces(m[1])} at {_host(m[2])}", text)
    text = _BARE_URL.sub(lambda m: _url(m[1]), text)
    text = _UUID.sub(lambda m: f"an identifier ending in {_spell(m[1][-4:])}", text)
    text = _MAC.sub(lambda m: _spell(re.sub("[:-]", "", m[0])), text)
    text = _IPV4.sub(_ipv4, text)
    text = _IPV6.sub(lambda m: _ipv6(m[1]), text)
    text = _HOST_PORT.sub(lambda m: f"local host port {numbers.digits(m[1])}", text)
    text = _HEX.sub(lambda m: f"hex {_spell(m[1])}", text)
    text = _HASH.sub(_hash, text)
    text = _WINDOWS_PATH.sub(lambda m: f"{m[1].upper()} drive, {_path(m[2].replace(chr(92), '/'))}", text)
    text = _RELATIVE_PATH.sub(lambda m: _path(m[1]), text)
    text = _UNIX_PATH.sub(_unix_path, text)
    text = _FILE.sub(lambda m: f"{_pieces(m[1])} dot {_extension(m[2])}", text)
    text = _DOTFILE.sub(lambda m: f"dot {_pieces(m[1])}", text)
    text = _VERSION.sub(lambda m: _version(m[1] or m[2], bool(m[1])), text)
    text = re.sub(r"\b(version) version\b", r"\1", text, flags=re.IGNORECASE)
    text = _FLAG.sub(lambda m: f"dash {_pieces(m[1])}" + (f" equals {_pieces(m[2])}" if m[2] else ""), text)
    text = _SNAKE.sub(lambda m: _pieces(m[1]), text)
    text = _CALL.sub(r"\1", text)
    return _CAMEL.sub(_camel, text)


def _camel(match: re.Match[str]) -> str:
    return match[0] if units.is_unit(match[0]) else " ".join(re.findall(r"[A-Z]?[a-z]+|[A-Z]", match[0]))


def _url(rest: str) -> str:
    rest = rest.split("#")[0].split("?")[0].rstrip("/")
    host, _, path = rest.partition("/")
    host, _, port = host.rpartition("@")[2].partition(":")
    host = re.sub(r"^www\.", "", host, flags=re.IGNORECASE)
    said = _host(host) + (f" port {numbers.digits(port)}" if port.isdigit() else "")
    if path and len(path) <= 30 and path.count("/") < 2 and not re.search(r"%|\d{5}|[0-9a-f]{12}", path):
        said += f" slash {_path(path)}"
    return said


def _host(host: str) -> str:
    if re.fullmatch(r"[\d.]+", host):
        return " dot ".join(numbers.number(part) for part in host.split(".") if part)
    return " dot ".join(_SPELLED.get(part.lower(), _pieces(part)) for part in host.split(".") if part)


def _path(path: str) -> str:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return " slash ".join(_file_name(part) for part in parts)


def _file_name(name: str) -> str:
    if name == "..":
        return "parent folder"
    found = _FILE.fullmatch(name)
    if found:
        return f"{_pieces(found[1])} dot {_extension(found[2])}"
    return ("dot " if name.startswith(".") else "") + _pieces(name)


def _unix_path(match: re.Match[str]) -> str:
    lead, path = match[1], match[2]
    said = _path(path)
    if not said:
        return match[0]
    start = {"~": "home slash ", ".": "", "..": "parent folder slash "}.get(lead or "", "slash ")
    return f"{start}{said}"


def _extension(extension: str) -> str:
    low = extension.lower()
    return _SPELLED.get(low) or " ".join(sign.upper() if sign.isalpha() else numbers.digits(sign) for sign in low)


def _pieces(name: str) -> str:
    """``report_v2-final`` → ``report v 2 final``; dots are said, digits are left for the number step."""
    name = re.sub(r"[_\-+~@%#&=]+", " ", name)
    name = re.sub(r"\.+", " dot ", name)
    name = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])", " ", name)
    name = re.sub(
        r"\d+", lambda m: numbers.digits(m[0]) if len(m[0]) > 4 or m[0][0] == "0" else numbers.number(m[0]), name
    )
    return re.sub(r"\s+", " ", name).strip()


def _spell(text: str) -> str:
    return " ".join(sign.upper() if sign.isalpha() else numbers.digits(sign) for sign in text)


def _hash(match: re.Match[str]) -> str:
    found = match[0]
    if re.fullmatch(r"\d+e\d+", found, re.IGNORECASE):
        return found
    return _spell(found) if len(found) <= 8 else f"a code that starts with {_spell(found[:6])}"


def _ipv4(match: re.Match[str]) -> str:
    said = " dot ".join(numbers.number(part) for part in match[1].split("."))
    if match[2]:
        said += f" slash {numbers.number(match[2][1:])}"
    if match[3]:
        said += f" port {numbers.digits(match[3][1:])}"
    return said


def _ipv6(address: str) -> str:
    if re.fullmatch(r"\d{1,2}(?::\d{2}){1,2}", address):
        return address  # a time
    said = [_spell(group) if group else "colon" for group in address.split(":")]
    return " colon ".join(said).replace("colon colon colon", "colon colon")


def _version(version: str, named: bool) -> str:
    said = " point ".join(numbers.number(part) for part in version.split("."))
    return f"version {said}" if named else said
