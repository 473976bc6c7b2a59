"""Fetch a model so that only a whole one is ever seen.

Each file grows as ``NAME.part`` beside where it will lie, is checked (size, SHA-256, structure), forced to disk and
then renamed; the folder's marker is written last. What breaks off is resumed with a ``Range`` request, which the
server may refuse (then it starts again); what does not match is thrown away. The note ``NAME.part.json`` says which
bytes the part belongs to.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import hashlib
import json
import logging
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from zero_one.files import put_in_place, write_whole
from zero_one.speech import models, service
from zero_one.speech.catalog import Model, RemoteFile
from zero_one.speech.models import Progress
from zero_one.speech.stt.base import SpeechError

log = logging.getLogger(__name__)

DEFAULT_HUB = "https://huggingface.co"
CONNECT_S = 4.0
SILENCE_S = 20.0
"""No byte for so long counts as hung."""
_TRIES = 4
"""In a row without a new byte, before giving up."""
_SPARE_BYTES = 64 << 20


class DownloadError(SpeechError):
    """The text says what was kept and what to do."""


class _Again(Exception):
    """This try failed in a way that another may not. ``fresh``: what is there already must not be used."""

    def __init__(self, why: str, *, fresh: bool = False) -> None:
        super().__init__(why)
        self.fresh = fresh


def hub() -> str:
    """Where models come from; ``ZERO_ONE_HUB`` names another place with the same paths."""
    return (os.environ.get("ZERO_ONE_HUB") or DEFAULT_HUB).rstrip("/")


async def hub_answers(timeout_s: float = 1.5) -> bool:
    """Whether the hub can be reached, decided within ``timeout_s`` whatever the network does."""
    if _offline():
        return False
    tls = await asyncio.to_thread(service.tls)
    with contextlib.suppress(httpx.HTTPError, httpx.InvalidURL, OSError, TimeoutError):
        async with asyncio.timeout(timeout_s), httpx.AsyncClient(verify=tls, timeout=timeout_s) as client:
            response = await client.head(hub() + "/")
            return response.status_code < 500
    return False


def _offline() -> bool:
    return os.environ.get("HF_HUB_OFFLINE", "") not in ("", "0")


async def download(model: Model, progress: Progress | None = None, *, silence_s: float = SILENCE_S) -> Path:
    """Fetch what is missing of ``model`` and return its folder. Raises DownloadError; cancelling keeps the parts."""
    folder = models.folder_of(model)
    if models.is_complete(model):
        return folder
    if _offline():
        raise DownloadError(f"{model.name} was not fetched: HF_HUB_OFFLINE forbids it. Unset that and try again.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / models.COMPLETE).unlink(missing_ok=True)
        timeout = httpx.Timeout(silence_s, connect=CONNECT_S)
        tls = await asyncio.to_thread(service.tls)
        async with httpx.AsyncClient(verify=tls, timeout=timeout, follow_redirects=True) as client:
            for file in model.files:
                await _fetch(client, model, file, folder, progress)
        sizes = {file.name: (folder / file.name).stat().st_size for file in model.files}
        marker = json.dumps({"revision": model.revision, "files": sizes})
        await asyncio.to_thread(write_whole, folder / models.COMPLETE, marker, mode=0o644)
    except OSError as error:
        raise _disk_problem(error, folder, model) from error
    return folder


async def _fetch(
    client: httpx.AsyncClient, model: Model, file: RemoteFile, folder: Path, progress: Progress | None
) -> None:
    target = folder / file.name
    if target.is_file() and await asyncio.to_thread(_fits, target, file):
        return
    url = f"{hub()}/{model.repo}/resolve/{model.revision}/{file.path}"
    part = folder / f"{file.name}.part"
    tries = 0
    while True:
        before = _size(part)
        try:
            declared = await _attempt(client, url, part, file, progress)
            await asyncio.to_thread(_verify, part, file, declared)
            await asyncio.to_thread(_publish, part, target)
            return
        except _Again as problem:
            why, fresh = str(problem), problem.fresh
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why, fresh = _plain(error), False
        if fresh:
            _discard(part)
        tries = 1 if _size(part) > before else tries + 1
        log.info("download of %s: %s (try %d)", file.name, why, tries)
        if tries >= _TRIES:
            kept = _size(part)
            rest = f" {kept / 1e6:.1f} MB are kept; the next try goes on from there." if kept else " Nothing was kept."
            raise DownloadError(f"{model.name} could not be downloaded: {why}.{rest} Check the network and try again.")
        await asyncio.sleep(_pause(tries))


async def _attempt(
    client: httpx.AsyncClient, url: str, part: Path, file: RemoteFile, progress: Progress | None
) -> dict[str, Any]:
    """Append to ``part`` until the server is done. Returns what it declared: ``size``, ``sha256``, each may be None."""
    note = _read_note(part)
    have = _size(part)
    headers = {"Accept-Encoding": "identity"}
    if have and note.get("etag"):
        headers |= {"Range": f"bytes={have}-", "If-Range": str(note["etag"])}
    else:
        have = 0
    async with client.stream("GET", url, headers=headers) as response:
        if response.status_code == 416:
            if note.get("size") == have or file.size == have:
                return note  # it was whole already
            raise _Again("the server has another file now", fresh=True)
        if response.status_code in (401, 403, 404, 410):
            raise DownloadError(f"The model hub has no {file.name} at {url} (status {response.status_code}).")
        if response.status_code not in (200, 206):
            raise _Again(f"the server answered {response.status_code}")
        declared = _declared(response, have)
        if response.status_code == 206:
            start = re.match(r"bytes (\d+)-", response.headers.get("content-range", ""))
            if not start or int(start[1]) != have:
                raise _Again("the server sent another part than asked for", fresh=True)
        else:
            have = 0
        total = file.size or declared["size"]
        if declared["size"] is not None and declared["size"] != total:
            raise _Again(f"the server offers {declared['size']} bytes instead of {total}", fresh=True)
        _room_for((total or 0) - have, part)
        part.with_name(f"{part.name}.json").write_text(json.dumps(declared), "utf-8")
        with part.open("ab" if have else "wb") as out:
            if progress:
                progress(file.name, have, total)
            async for piece in response.aiter_raw():  # a chunk size here would lose what came last before a break
                _write(out, piece)
                have += len(piece)
                if total is not None and have > total:
                    raise _Again("the server sent more than the file holds", fresh=True)
                if progress:
                    progress(file.name, have, total)
            out.flush()
            await asyncio.to_thread(os.fsync, out.fileno())
    if total is not None and have < total:
        raise _Again(f"the connection ended after {have} of {total} bytes")
    return declared


def _pause(tries: int) -> float:
    """Seconds before the next try."""
    return min(5.0, 0.1 * float(4**tries))


def _write(out: Any, piece: bytes) -> None:
    out.write(piece)


def _declared(response: httpx.Response, have: int) -> dict[str, Any]:
    first = response.history[0] if response.history else response  # the hub itself; what follows is a file store
    linked = first.headers.get("x-linked-size", "")
    length = response.headers.get("content-length", "")
    size = int(linked) if linked.isdigit() else (int(length) + have if length.isdigit() else None)
    if response.status_code == 200 and not linked.isdigit():
        size = int(length) if length.isdigit() else None
    tag = first.headers.get("x-linked-etag", "").strip('W/"')
    return {
        "etag": response.headers.get("etag"),
        "size": size,
        "sha256": tag if re.fullmatch(r"[0-9a-f]{64}", tag) else None,
    }


def _verify(part: Path, file: RemoteFile, declared: dict[str, Any]) -> None:
    size = _size(part)
    expected = file.size or declared.get("size")
    if expected is not None and size != expected:
        raise _Again(f"it has {size} bytes instead of {expected}", fresh=size > int(expected))
    sha256 = file.sha256 or declared.get("sha256")
    if sha256 and _sha256(part) != sha256:
        raise _Again("its checksum is wrong", fresh=True)
    problem = structure(part, file.check)
    if problem:
        raise _Again(problem, fresh=True)


def _fits(path: Path, file: RemoteFile) -> bool:
    """Whether a file that an earlier, interrupted download published can stay."""
    if file.size is not None and path.stat().st_size != file.size:
        return False
    if file.sha256 and _sha256(path) != file.sha256:
        return False
    return not structure(path, file.check)


def structure(path: Path, check: str) -> str:
    """What is wrong with the look of a file, or an empty string. An error page is never a model."""
    with path.open("rb") as file:
        head = file.read(512)
    if not head or head.lstrip()[:1] == b"<":
        return "it is a web page or empty, not a model"
    match check:
        case "json":
            try:
                if not isinstance(json.loads(path.read_text("utf-8")), dict | list):
                    return "it is no JSON object"
            except ValueError:
                return "it is not valid JSON"
        case "onnx" if head[0] != 0x08:  # protobuf field 1 (ir_version), a varint
            return "it is not an ONNX model"
        case "ctranslate2":
            version = int.from_bytes(head[:4], "little")  # binary format version, then the specification's name
            if not 1 <= version <= 100 or b"Spec" not in head[:64]:
                return "it is not a CTranslate2 model"
    return ""


def _publish(part: Path, target: Path) -> None:
    put_in_place(part, target)
    part.with_name(f"{part.name}.json").unlink(missing_ok=True)


def _discard(part: Path) -> None:
    part.unlink(missing_ok=True)
    part.with_name(f"{part.name}.json").unlink(missing_ok=True)


def _read_note(part: Path) -> dict[str, Any]:
    try:
        note = json.loads(part.with_name(f"{part.name}.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return note if isinstance(note, dict) else {}


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _room_for(size: int, part: Path) -> None:
    if size > 0 and shutil.disk_usage(part.parent).free < size + _SPARE_BYTES:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _disk_problem(error: OSError, folder: Path, model: Model) -> DownloadError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DownloadError(
            f"The disk is full: {model.name} needs {model.megabytes} MB in {folder}. Make room and try again; "
            "what arrived is kept."
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return DownloadError(f"I may not write to {folder}. Correct its permissions or set ZERO_ONE_MODELS.")
    return DownloadError(f"{model.name} could not be stored in {folder}: {error.strerror or error}.")


def _plain(error: Exception) -> str:
    match error:
        case httpx.ConnectError() | httpx.ConnectTimeout():
            return "the model hub does not answer"
        case httpx.TimeoutException():
            return "the model hub fell silent"
        case _:
            return f"the connection broke ({type(error).__name__})"


@contextlib.contextmanager
def progress_bar() -> Iterator[Progress]:
    """A bar in the terminal, to be given to ``download``; it is gone when the download is done. Elsewhere nothing."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TaskID, TextColumn, TransferSpeedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    console = Console(stderr=True)
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        tasks: dict[str, TaskID] = {}

        def show(name: str, done: int, total: int | None) -> None:
            if name not in tasks:
                tasks[name] = bar.add_task(name, total=total)
            bar.update(tasks[name], completed=done, total=total)

        yield show
