"""What can be opened, found or looked up by its name: apps, sites, folders, files, places, words."""

from __future__ import annotations

import re

from zero_one.commands import known, zones
from zero_one.commands.scene import Reader, Scene, Values
from zero_one.commands.words import Words, raw

_ASKING = {"what", "why", "how", "who", "whose", "which", "whether", "when", "where"}
_NOT_IN_TITLES = set(
    "that which and then is are was were in into to for from with by about using all every any some it this i you "
    "modified containing larger bigger older than new empty every what how why of on or not if how".split()
)
# Apps called like something else: alone they may well mean that, and "open" must say that they are apps.
_WORDS_TOO = frozenset(
    "brave opera edge safari slack discord teams zoom signal steam blender word excel notion obsidian evernote "
    "eclipse docker postman transmission paint kitty kate dolphin nemo cheese keynote camera files email mail "
    "calendar explorer".split()
)


_PAPERS = frozenset(
    "resume cv budget thesis essay invoice contract letter homework presentation spreadsheet dissertation "
    "certificate receipt manuscript".split()
)
_NO_WORD = frozenset("a an the my our your this these to in of with and".split())


def place(said: list[str], words: Words, scene: Scene) -> Values | None:
    found = zones.find(" ".join(said))
    return None if found is None else {"place": found.name, "zone": found.zone}


def app(said: list[str], words: Words, scene: Scene) -> Values | None:
    name = scene.here.app(" ".join(said))
    return None if name is None else {"app": name}


def bare_app(said: list[str], words: Words, scene: Scene) -> Values | None:
    """An app whose name alone says that the app is meant: "calculator", never "cheese"."""
    return None if said[-1] in _WORDS_TOO else app(said, words, scene)


def site(said: list[str], words: Words, scene: Scene) -> Values | None:
    url = known.site(said)
    return None if url is None else {"url": url}


def folder(said: list[str], words: Words, scene: Scene) -> Values | None:
    path = scene.here.folder(" ".join(said))
    return None if path is None else {"folder": str(path)}


def any_folder(said: list[str], words: Words, scene: Scene) -> Values | None:
    """Where the template says that a folder is meant, its name; whether there is one is seen when it is opened."""
    if found := folder(said, words, scene):
        return found
    if not 1 <= len(said) <= 3 or any(word in _NOT_IN_TITLES or word in _ASKING for word in said):
        return None
    return {"folder": raw(words)}


def file(said: list[str], words: Words, scene: Scene) -> Values | None:
    """Something that names a file by itself: "report dot pdf", "notes.txt", "~/todo.md"."""
    name = known.file_name(said, raw(words))
    return None if name is None else {"file": name}


def title(said: list[str], words: Words, scene: Scene) -> Values | None:
    """The name of a file where the template says that a file is meant: "budget", "tax return"."""
    if (exact := known.file_name(said, raw(words))) is not None:
        return {"file": exact}
    if " ".join(said) in known.GENERIC or said[-1] in ("manager", "browser", "explorer") or "dot" in said:
        return None
    if not 1 <= len(said) <= 4 or any(word in _NOT_IN_TITLES or word in _ASKING for word in said):
        return None
    return {"file": raw(words)}


def paper(said: list[str], words: Words, scene: Scene) -> Values | None:
    """A document by what it is: "resume", "insurance letter"."""
    if said[-1] not in _PAPERS or len(said) > 4 or any(word in _NOT_IN_TITLES | _ASKING for word in said):
        return None
    return {"file": raw(words)}


def word(said: list[str], words: Words, scene: Scene) -> Values | None:
    """A word or two to be spelled."""
    if said[0] in _NO_WORD or (len(said) == 1 and said[0] in ("it", "that", "this", "me", "you", "them")):
        return None
    return {"word": raw(words)} if 1 <= len(said) <= 2 and all(re.fullmatch(r"[a-z'-]+", w) for w in said) else None


READERS: dict[str, Reader] = {
    "place": place, "app": app, "bare_app": bare_app, "site": site, "folder": folder, "any_folder": any_folder,
    "file": file, "title": title, "paper": paper, "word": word,
}  # fmt: skip
