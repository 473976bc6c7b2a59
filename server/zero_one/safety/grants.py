"""From what an act was ruled to do to what its sandbox lets it do, and no more.

Three scopes: inside (the project folder), widened by the paths that its effects name, and outside (for effects that
nothing in a sandbox can have). Effects that are only looking give nothing: they always happen inside.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from zero_one.computer.languages.base import Effect, Needs, Reach, Scope
from zero_one.safety.risk.model import Risk
from zero_one.safety.standing import graver

_FILES = ("write", "move", "delete")
_OUTSIDE = ("process", "system", "device", "persist", "package", "opaque", "credential")
_NETWORK = ("send", "fetch", "spend")
_INSIDE = Scope()
_OUT = Scope(outside=True)

# Words that the verdict puts around a path.
_WORDS = re.compile(r"^(permissions of|what is found in|what|pieces of|set-user-id on) | to the trash$| holds$")
# Of the effects that are called "process", as the verdict words them, those that a sandbox can have: work on files
# that are not named, names that are known only where they were defined, what is used up.
_WORK = re.compile(
    r"""(?x) ^(unpacks | changes | patches | writes\ out | pieces | permissions | rotates | calls | uses\ the
    | copies\ a\ database | opens\ a\ database | keeps\ a\ file | environment\ variables | what\ is\ filled
    | a\ (download | temporary\ file | job | function | computed\ function | connection | comment)
    | the\ database | processes\ without | fills\ memory | % | python\ -m)
    | \ (is\ handed\ on | of\ an\ object)$"""
)
_RUNS = "running "
_TRASH = re.compile(r"\b(trash|trash-put|gio\s+trash|kioclient|send2trash)\b")
_ABSOLUTE = re.compile(r"^(~(/|$)|/|\$HOME\b|\$\{HOME\})")
_MOVES = re.compile(
    r"""(?x) (?:\bcd|\bpushd|\s-C|\s-d|\s-P|\s-O|--directory|--output-dir|--prefix|chdir\(|--target) [=\s]*
    (['"]?) ((?:~|/|\$HOME|\$\{HOME\}) [^'"\n;&|)\s]*)"""
)
_ADDRESS = re.compile(r"https?://[^\s'\"<>]+")
_HOST = re.compile(r"(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)+", re.IGNORECASE)


def scope(needs: Needs | None, code: str, folder: Path, project: Path, kept: Iterable[Path] = ()) -> Scope:
    """The scope of a run whose effects were ruled over. ``folder`` is where it begins, ``kept`` what no grant covers.

    A path is granted as the nearest folder above it that exists, because making, replacing and deleting a file change
    the folder it lies in.
    """
    acts = [effect for effect in needs.effects if effect.risk > Risk.OBSERVE] if needs is not None else []
    if not acts:
        return _INSIDE
    if any(_cannot_be_had_inside(effect) for effect in acts):
        return _OUT
    write: set[Path] = set()
    unread: set[Path] = set()  # folders that no path of the verdict names
    relative = False
    for effect in acts:
        if effect.kind not in _FILES:
            relative = True
            continue
        for path in _paths(effect):
            if path is None:
                relative = True
            elif effect.kind == "write" and path.is_dir():
                write.add(path / "x")  # something is put into it
            else:
                write.add(path)
    if _TRASH.search(code):
        write.add(Path.home() / ".local/share/Trash/x")
    if relative:
        # Named by where the code goes before: cd, tar -C, os.chdir and their like.
        unread = {path / "x" for found in _MOVES.findall(code) if (path := _expanded(found[1]))} | {folder / "x"}
    write |= {path for path in unread if not graver(path.parent)}
    granted = {grant for path in write if (grant := _grant(path, project, kept))}
    # What lies in another granted folder needs no grant of its own.
    least = {path for path in granted if not any(path != other and path.is_relative_to(other) for other in granted)}
    return Scope(frozenset(least))


def reach(
    needs: Needs | None, code: str, *, network: bool, always: bool, private: frozenset[str] = frozenset()
) -> Reach:
    """What of the network a run reaches. ``network``: whether the ruling lets it; ``always``: whether the profile
    gives the network to every run; ``private``: hosts of the local network that the profile names.

    Where the profile does not, an act that was agreed to reaches what is public, and one that only looks reaches the
    hosts that stand in it word for word, which the ruling saw.
    """
    if not network:
        return Reach()
    acts = [effect for effect in needs.effects if effect.kind in _NETWORK] if needs is not None else []
    if always or any(effect.risk > Risk.OBSERVE for effect in acts):
        return Reach(private=private, public=True)
    words = [*(effect.what for effect in acts), *(_ADDRESS.findall(code) if needs is not None else ())]
    named = {host for text in words if (host := _host(text))}
    return Reach(hosts=frozenset(named), private=private if named & {_bare(host) for host in private} else frozenset())


def _bare(place: str) -> str:
    """A host without its port."""
    host, colon, port = place.rpartition(":")
    return host if colon and port.isdigit() and ":" not in host else place


def _cannot_be_had_inside(effect: Effect) -> bool:
    if effect.kind == "process" and effect.what.startswith(_RUNS):
        # What is no program here is a function of the shell's, which is known only where it was written.
        return shutil.which(effect.what.removeprefix(_RUNS)) is not None
    if effect.kind == "process" and (effect.undoable or _WORK.search(effect.what)):
        return False
    if effect.kind in _OUTSIDE:
        return True
    # Mail, ssh and their like need keys and connections that are not the web's.
    return effect.kind in ("send", "spend") and not _ADDRESS.search(effect.what)


def _paths(effect: Effect) -> Iterator[Path | None]:
    """The absolute paths that an effect names, alone or in words; None for each that is relative or is none."""
    if effect.file:
        yield _expanded(effect.what)
        return
    for part in _WORDS.sub("", effect.what).split(" to "):
        yield _expanded(_WORDS.sub("", part).strip())


def _expanded(text: str) -> Path | None:
    if not _ABSOLUTE.match(text):
        return None
    text = re.sub(r"^(~|\$HOME\b|\$\{HOME\})", lambda _: str(Path.home()), text)
    # Up to the first piece that is not known yet: a pattern, a variable, something computed.
    known = re.split(r"[*?\[{$…`]", text, maxsplit=1)
    if len(known) > 1:
        text = known[0].rpartition("/")[0] + "/…"
    return Path(os.path.normpath(text))


def _grant(path: Path, project: Path, kept: Iterable[Path]) -> Path | None:
    """The existing folder to be shown writable for ``path``, or nothing where none is needed or none is given.

    Of the home folder itself never all is given: there it is the entry that is named.
    """
    name, parent = path.name, path.parent
    while not parent.is_dir():
        if parent == parent.parent:
            return None
        name, parent = parent.name, parent.parent
    named, parent = parent, parent.resolve()
    if _planted(named, project) or (named != parent and graver(parent, name)):
        return None
    if parent.is_relative_to(project) or str(parent) in _TOO_MUCH:
        return None
    home = Path.home().resolve()
    if home.is_relative_to(parent) and home != parent:
        return None
    if any(parent.is_relative_to(top) for top in _SYSTEM) or any(parent.is_relative_to(one) for one in kept):
        return None
    return parent / name if parent == home else parent


def _planted(path: Path, project: Path) -> bool:
    """Whether a link in the project folder is on the way: code put it there, and nobody was asked about its target."""
    done, todo, hops = Path(path.anchor), [*reversed(path.parts[1:])], 40
    while todo:
        there = done / (part := todo.pop())
        if part == "..":
            done = done.parent
        elif not there.is_symlink():
            done = there
        elif done.is_relative_to(project) or not hops:
            return True
        else:
            hops -= 1
            target = there.readlink()
            done = Path(target.anchor) if target.is_absolute() else done
            todo += reversed(target.parts[1:] if target.is_absolute() else target.parts)
    return False


_SYSTEM = ("/etc", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/dev", "/proc", "/sys", "/run", "/var/run")
_TOO_MUCH = ("/", "/tmp", "/var", "/var/tmp", "/home", "/Users", "/opt", "/srv", "/mnt", "/media", "/private/tmp")


def _host(what: str) -> str:
    found = _ADDRESS.search(what)
    if found:
        try:
            return (urlsplit(found.group()).hostname or "").lower()
        except ValueError:
            return ""
    return what.lower() if _HOST.fullmatch(what) else ""
