"""``01 data``: everything that is kept about you, to take along or to remove. And: one server per data folder."""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zero_one import firm
from zero_one.app.audit import line
from zero_one.app.undo import COMMAND_LINE, printable
from zero_one.config.paths import config_dir, data_dir
from zero_one.files import hold, write_whole
from zero_one.identity.devices import DeviceBook
from zero_one.safety.audit import AuditLog
from zero_one.safety.redact import Redactor, environment_secrets
from zero_one.safety.undo import Undo

if TYPE_CHECKING:
    from filelock import BaseFileLock

OURS = ("conversations", "recordings", "work", "trust", "commands", "logs", "identity", "desktop")
OUR_FILES = ("device-id", "server.json")
"""What we make in the data folder. Anything else there is somebody else's, and is left alone."""
_LOCK, _HOLDER = "server.lock", "server.pid"


class InUse(Exception):
    """Another server uses the data folder. The text says which, and what to do."""


def hold_folder() -> BaseFileLock:
    """Keep the data folder to ourselves while we serve, until the lock is released. Raises InUse."""
    try:
        lock = hold(data_dir() / _LOCK)
        write_whole(data_dir() / _HOLDER, f"{os.getpid()}\n")
    except TimeoutError:
        raise InUse(
            f"Another 01 server{_holder()} uses the folder {data_dir()}. Stop that one, or give this one a folder of "
            "its own with ZERO_ONE_HOME."
        ) from None
    except OSError as error:
        raise InUse(f"The folder {data_dir()} cannot be used: {error.strerror or error}.") from error
    return lock


def _holder() -> str:
    with suppress(OSError):
        pid = (data_dir() / _HOLDER).read_text("ascii", errors="replace").strip()
        if pid.isdigit():
            return f" (process {pid})"
    return ""


# --- export


def export(target: str) -> int:
    """Write everything that is kept in readable form into a new zip file or folder: no keys, and no secret that is
    known to be one. 1 where it could not be written; then nothing is left of it."""
    path = Path(target).expanduser()
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        print(f"01: {path} is there already. Nothing was written; name a new file or an empty folder.", file=sys.stderr)
        return 1
    draft = path.with_name(f".{path.name}.part")
    try:
        if path.suffix.lower() == ".zip":
            handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as raw, zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
                count = sum(_put_zip(archive, name, data) for name, data in _everything())
        else:
            draft.mkdir(mode=0o700)
            count = sum(_put_file(draft, name, data) for name, data in _everything())
        if path.is_dir():
            path.rmdir()
        os.replace(draft, path)
    except OSError as error:
        with suppress(OSError):
            shutil.rmtree(draft) if draft.is_dir() else draft.unlink(missing_ok=True)
        print(f"01: {path} could not be written: {error.strerror or error}. Nothing is left of it.", file=sys.stderr)
        return 1
    print(f"{count} files were written to {path}. It holds what you said and did; only you can read it.")
    print("Keys are not in it, nor models, nor the copies of files that are kept for undo.")
    return 0


def _put_zip(archive: zipfile.ZipFile, name: str, data: bytes) -> int:
    info = zipfile.ZipInfo(name, time.localtime()[:6])
    info.external_attr = 0o600 << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)
    return 1


def _put_file(folder: Path, name: str, data: bytes) -> int:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as out:
        out.write(data)
    return 1


def _everything() -> Iterator[tuple[str, bytes]]:
    """Names and contents. Links are not followed."""
    folder, clean = data_dir(), Redactor(environment_secrets(os.environ))

    def text(value: str) -> bytes:
        return clean.text(value).encode("utf-8", "surrogatepass")

    yield "README.txt", _README.encode()
    for file in _files(folder / "conversations"):
        raw = file.read_text("utf-8", errors="replace")
        yield f"conversations/{file.name}", text(raw)
        if file.suffix == ".jsonl":
            yield f"conversations/{file.stem}.txt", text("".join(_said(raw)))
    for name in ("recordings", "commands", "logs"):
        for file in _files(folder / name):
            inside = file.relative_to(folder).as_posix()
            yield (
                inside,
                file.read_bytes() if file.suffix == ".wav" else text(file.read_text("utf-8", errors="replace")),
            )
    work = (folder / "work").resolve()
    for file in _files(work):
        # Code that still runs may swap a file or folder for a link, or forbid reading: then it is left out.
        with suppress(OSError):
            yield f"work/{file.relative_to(work).as_posix()}", firm.read(file)
    if (folder / "trust" / "audit").exists():
        entries = list(AuditLog(folder / "trust" / "audit").entries())
        yield "audit.txt", text("".join(f"{printable(line(entry))}\n" for entry in entries))
        yield "audit.json", text(json.dumps([asdict(entry) for entry in entries], indent=1))
    if (folder / "trust" / "undo").exists():
        rows = [
            {"at": r.at, "device": r.device, "label": r.label, "files": sorted(r.before), "undone": r.undone}
            for r in Undo(folder / "trust" / "undo").records
        ]
        yield "undo.json", text(json.dumps(rows, indent=1))
    if (rules := folder / "trust" / "rules.json").is_file():
        yield "rules.json", text(rules.read_text("utf-8", errors="replace"))
    if (book := folder / "identity" / "devices.json").is_file():
        rows = [_device(asdict(device)) for device in DeviceBook(book)]
        yield "devices.json", text(json.dumps(rows, indent=1, default=sorted))
    for file in _files(config_dir()):
        if file.suffix in (".yaml", ".yml", ".json"):
            inside = file.relative_to(config_dir()).as_posix()
            yield f"config/{inside}", text(file.read_text("utf-8", errors="replace"))


def _device(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "key_hash"}


def _said(raw: str) -> Iterator[str]:
    for row in raw.splitlines():
        with suppress(ValueError, AttributeError):
            entry = json.loads(row)
            when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(entry["at"])) + "  " if entry.get("at") else ""
            if isinstance(entry.get("content"), str) and entry.get("type") != "image":
                yield f"{when}{entry.get('role')}: {entry['content']}\n"


def _files(folder: Path) -> Iterator[Path]:
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not os.path.islink(os.path.join(root, name)))
        for name in sorted(names):
            file = Path(root, name)
            if file.is_file() and not file.is_symlink():
                yield file


_README = """What the 01 on this computer keeps about you.

conversations/   what was said and done, one file a conversation (.txt to read, .jsonl and .json as they are kept)
recordings/      what the microphone sent (only with --debug)
work/            the folders in which code ran for you
commands/        timers, alarms, reminders, notes, to-dos
audit.txt        the audit log: who asked, what was heard, what ran, who agreed (audit.json: the same for programs)
undo.json        which files were changed by code, and when
rules.json       what you allowed for always
devices.json     the paired devices, without their keys
config/          your profiles; keys that look like keys are masked
logs/            logs (only with --debug)
"""


# --- wipe


def wipe(*, yes: bool, keep_profiles: bool) -> int:
    """Remove everything that is kept, and the profiles unless they are to stay. 1 where something is left."""
    try:
        lock = hold_folder()
    except InUse as error:
        print(f"01: {error} Nothing was removed.", file=sys.stderr)
        return 1
    try:
        return _wipe(yes=yes, keep_profiles=keep_profiles)
    finally:
        for name in (_HOLDER, _LOCK):
            with suppress(OSError):
                (data_dir() / name).unlink()
        lock.release()


def _wipe(*, yes: bool, keep_profiles: bool) -> int:
    trust = data_dir() / "trust"
    doomed = [path for name in (*OURS, *OUR_FILES) if os.path.lexists(path := data_dir() / name) and path != trust]
    if trust.is_symlink() or (trust / "audit").is_symlink():
        doomed.append(trust)
    elif trust.is_dir():
        doomed += [Path(entry.path) for entry in os.scandir(trust) if entry.name != "audit"]
    audit = trust / "audit" if trust not in doomed and (trust / "audit").is_dir() else None
    if not keep_profiles:
        doomed += [path for name in ("profiles", ".env") if os.path.lexists(path := config_dir() / name)]
    if not doomed and audit is None:
        print("There is nothing to remove.")
        return 0
    print("This removes for good:")
    for path in doomed:
        print(f"  {path}")
    if audit is not None:
        print(f"  the words in {audit} (its chain of hashes stays, so that it can still be verified)")
    print("Paired devices must be paired again. Models stay; they know nothing of you.")
    if not yes and not _agreed():
        print("Nothing was removed.")
        return 1
    left = [f"{path}: {problem}" for path in doomed if (problem := _remove(path))]
    if audit is not None and (problem := _forget_words(audit)):
        left.append(f"{audit}: {problem}")
    for problem in left:
        print(f"01: not removed: {problem}", file=sys.stderr)
    ours = {_LOCK, _HOLDER, "trust", *OURS, *OUR_FILES}
    others = [entry.path for entry in os.scandir(data_dir()) if entry.name not in ours]
    if others:
        print(f"Left alone, because it is not ours: {', '.join(map(printable, sorted(others)))}")
    print("Some of it is left." if left else "Everything is removed.")
    return 1 if left else 0


def _forget_words(audit: Path) -> str:
    now = time.time()
    try:
        log = AuditLog(audit)
        log.forget(since=0.0, until=math.inf, device=COMMAND_LINE, at=now)
        log.append("wiped", COMMAND_LINE, {}, at=now)
        for cut in audit.glob("*.cut"):
            cut.unlink()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _agreed() -> bool:
    if not sys.stdin.isatty():
        print("01: to do it without being asked, add --yes.", file=sys.stderr)
        return False
    return input('Type "wipe" to do it: ').strip().lower() == "wipe"


def _remove(path: Path) -> str:
    """A link goes, never what it leads to. Returns what went wrong."""
    try:
        if path.is_symlink() or not path.is_dir():
            path.unlink()
        else:
            _open_up(path)
            shutil.rmtree(path)
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _open_up(path: Path) -> None:
    """Folders that code made read-only in its working folder keep nobody from removing them."""
    for root, folders, _ in os.walk(path):
        for name in folders:
            inner = os.path.join(root, name)
            with suppress(OSError):
                if not os.path.islink(inner):
                    os.chmod(inner, 0o700)
