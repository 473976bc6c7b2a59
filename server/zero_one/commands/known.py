"""What can be opened by name: apps installed here or known by name, folders of the home, well-known sites, file
names."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from zero_one.computer import applications, places

# Names that mean a kind of program; the opener finds one of that kind.
GENERIC = {
    "browser": "browser", "web browser": "browser", "internet browser": "browser", "the internet": "browser",
    "internet": "browser", "terminal": "terminal", "command line": "terminal", "console": "terminal",
    "terminal window": "terminal", "file manager": "file manager", "files": "file manager", "finder": "file manager",
    "explorer": "file manager", "file explorer": "file manager", "file browser": "file manager",
    "text editor": "text editor", "editor": "text editor", "notepad": "text editor", "calculator": "calculator",
    "settings": "settings", "system settings": "settings", "computer settings": "settings", "preferences": "settings",
    "control panel": "settings", "calendar": "calendar", "email": "email", "mail": "email", "e mail": "email",
    "mail app": "email", "email client": "email", "email app": "email", "camera": "camera",
    "music player": "music player",
    "video player": "video player", "image viewer": "image viewer", "task manager": "task manager",
    "system monitor": "task manager", "activity monitor": "task manager", "app store": "app store",
}  # fmt: skip
FAMOUS = frozenset(
    name.strip()
    for name in (
        "firefox, chrome, chromium, safari, edge, brave, opera, vivaldi, thunderbird, outlook, spotify, vlc, slack, "
        "discord, teams, zoom, skype, telegram, signal, whatsapp, steam, gimp, inkscape, blender, krita, audacity, "
        "kdenlive, obs, libreoffice, word, excel, powerpoint, onenote, notion, obsidian, evernote, photoshop, "
        "illustrator, lightroom, figma, vscode, emacs, vim, pycharm, intellij, eclipse, xcode, itunes, garageband, "
        "imovie, keynote, facetime, dropbox, bitwarden, keepassxc, virtualbox, docker, postman, wireshark, filezilla, "
        "transmission, handbrake, paint, xterm, konsole, alacritty, kitty, gedit, kate, mousepad, nautilus, dolphin, "
        "thunar, nemo, evince, okular, htop, rhythmbox, cheese, shotwell, darktable, visual studio code, "
        "visual studio, "
        "vs code, google chrome, microsoft word, microsoft excel, microsoft teams, microsoft edge, microsoft outlook, "
        "android studio, sublime text, obs studio, libre office, apple music, unreal engine, unity hub, disk utility, "
        "disk usage analyzer, mozilla firefox, libreoffice writer, libreoffice calc, google earth, quick time, "
        "powershell, windows terminal "
    ).split(",")
)
SITES = {
    "youtube": "https://www.youtube.com", "google": "https://www.google.com", "wikipedia": "https://www.wikipedia.org",
    "github": "https://github.com", "gitlab": "https://gitlab.com", "gmail": "https://mail.google.com",
    "google mail": "https://mail.google.com", "google maps": "https://maps.google.com",
    "google drive": "https://drive.google.com", "google docs": "https://docs.google.com",
    "google calendar": "https://calendar.google.com", "reddit": "https://www.reddit.com", "twitter": "https://x.com",
    "facebook": "https://www.facebook.com", "instagram": "https://www.instagram.com",
    "linkedin": "https://www.linkedin.com", "amazon": "https://www.amazon.com", "netflix": "https://www.netflix.com",
    "stack overflow": "https://stackoverflow.com", "hacker news": "https://news.ycombinator.com",
    "ebay": "https://www.ebay.com", "bing": "https://www.bing.com", "duck duck go": "https://duckduckgo.com",
    "duckduckgo": "https://duckduckgo.com", "yahoo": "https://www.yahoo.com", "bbc": "https://www.bbc.com",
    "bbc news": "https://www.bbc.com/news", "cnn": "https://www.cnn.com", "new york times": "https://www.nytimes.com",
    "the guardian": "https://www.theguardian.com", "guardian": "https://www.theguardian.com",
    "open street map": "https://www.openstreetmap.org", "twitch": "https://www.twitch.tv",
    "pinterest": "https://www.pinterest.com", "wolfram alpha": "https://www.wolframalpha.com",
    "internet archive": "https://archive.org", "mastodon": "https://mastodon.social",
}  # fmt: skip
_ENDINGS = (
    "com org net edu gov io dev ai co uk de fr es it nl eu info biz tv me app us ca au ch at jp in be se no pl xyz"
).split()
_FOLDERS = [
    *"downloads documents desktop pictures photos images music videos movies public templates home".split(),
    "download",
    "document",
    "picture",
    "video",
    "docs",
]
_FILE_ENDINGS = (
    "txt md pdf doc docx odt rtf csv tsv xls xlsx ods ppt pptx odp html htm xml json yaml yml toml ini cfg log py "
    "js ts c h cpp "
    "rs go java sh png jpg jpeg gif svg webp bmp mp3 wav ogg flac mp4 mkv avi mov zip tar gz 7z epub ics tex sql "
    "ipynb conf deb iso"
).split()
_SPELLED_ENDINGS = {"text": "txt", "markdown": "md", "p d f": "pdf", "python": "py", "jpeg": "jpg", "j p g": "jpg"}


@dataclass(slots=True)
class Known:
    """Names of this machine. ``apps`` are lower-case names of installed programs."""

    home: Path = field(default_factory=Path.home)
    apps: frozenset[str] = frozenset()

    def app(self, said: str) -> str | None:
        """The app that ``said`` names (generic, famous or installed), or None."""
        for article in ("the ", "my "):
            said = said.removeprefix(article)
        for tail in (" app", " application", " program", " browser", " window"):
            if said.removesuffix(tail) in self.apps or said.removesuffix(tail) in FAMOUS:
                said = said.removesuffix(tail)
        if said in GENERIC:
            return GENERIC[said]
        return said if said in self.apps or said in FAMOUS else None

    def folder(self, said: str) -> Path | None:
        """The folder that ``said`` names: a well-known one, or one in the home folder or on the desktop."""
        for article in ("the ", "my ", "our "):
            said = said.removeprefix(article)
        said = said.removesuffix(" folder").removesuffix(" directory")
        if said in _FOLDERS and (path := places.named(said)):
            return path
        for path in self.subfolders():
            if path.name.lower().replace("-", " ").replace("_", " ") == said:
                return path
        return None

    def subfolders(self) -> list[Path]:
        """Visible folders one step below home, Documents and Desktop."""
        found: list[Path] = []
        for parent in (self.home, self.home / "Documents", self.home / "Desktop"):
            try:
                with os.scandir(parent) as entries:
                    found += [Path(e.path) for e in entries if e.is_dir() and not e.name.startswith(".")]
            except OSError:
                continue
        return sorted(found)


def look_around(home: Path | None = None) -> Known:
    """What this machine has. Reads a few folders; call it off the event loop."""
    return Known(home or Path.home(), frozenset(_installed()))


def _installed() -> Iterable[str]:
    if sys.platform == "darwin":
        for folder in (Path("/Applications"), Path("/System/Applications"), Path.home() / "Applications"):
            yield from (path.stem.lower() for path in folder.glob("*.app"))
        return
    if sys.platform == "win32":
        for variable in ("ProgramData", "APPDATA"):
            menu = Path(os.environ.get(variable, "")) / "Microsoft/Windows/Start Menu/Programs"
            yield from (path.stem.lower() for path in menu.glob("**/*.lnk"))
        return
    yield from (re.sub(r"[^a-z0-9 ]+", " ", app.name.lower()).strip() for app in applications.installed())


def site(said: Sequence[str]) -> str | None:
    """The URL that the words name: "youtube", "example dot com", "github.com/me", "https://…"."""
    words = list(said)
    while words and words[0] in ("the", "my", "www"):
        words = words[1:]
    while words and words[-1] in ("site", "page", "web"):
        words = words[:-1]
    text = " ".join(words)
    if text in SITES:
        return SITES[text]
    if len(words) == 1 and re.fullmatch(r"https?://[^\s<>\"']+", words[0]):
        return words[0]
    glued = re.sub(r"\s*\b(?:dot)\b\s*", ".", text)
    glued = re.sub(r"\s*\bslash\b\s*", "/", glued).replace("www ", "www.")
    if "." in glued:
        host, _, path = glued.partition("/")
        parts = host.replace(" ", "").split(".")
        if (
            len(parts) > 1
            and parts[-1] in _ENDINGS
            and all(re.fullmatch(r"[a-z0-9-]+", part) for part in parts)
            and len(host.split()) <= 3
        ):
            return "https://" + ".".join(parts) + (f"/{path}" if path else "")
    if re.fullmatch(r"localhost(:\d+)?(/\S*)?", text):
        return f"http://{text}"
    return None


def file_name(said: Sequence[str], written: str) -> str | None:
    """The file that the words name by an ending or a path: "report.pdf", "report dot pdf", "~/notes/a b.txt"."""
    written = written.strip("\"'")
    if len(said) == 1 and re.match(r"^(~?/|[a-zA-Z]:\\|\./)\S+$", written):
        return written
    words = list(said)
    while words and words[0] in ("the", "my", "a", "file"):
        words = words[1:]
        written = written.partition(" ")[2]
    if len(words) > 5 or not words:
        return None
    if re.search(r"\w\.(\w{1,5})$", written) and written.rsplit(".", 1)[1].lower() in _FILE_ENDINGS and len(words) <= 3:
        return written
    if "dot" in words[1:-1]:
        at = words.index("dot")
        ending = " ".join(words[at + 1 :])
        ending = _SPELLED_ENDINGS.get(ending, ending.replace(" ", ""))
        if ending in _FILE_ENDINGS:
            return " ".join(words[:at]) + "." + ending
    return None


def spoken_folders(here: Known) -> list[str]:
    """Folder names that the embedded recogniser listens for."""
    return sorted(set(_FOLDERS) | {re.sub(r"[-_]", " ", path.name.lower()) for path in here.subfolders()[:40]})


def spoken_apps(here: Known) -> list[str]:
    generic = "browser terminal calculator settings calendar email".split()
    return sorted({*generic, "file manager", "text editor", "web browser", "music player", *sorted(here.apps)[:60]})


def spoken_sites() -> list[str]:
    return sorted(SITES)
