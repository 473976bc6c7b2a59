"""Child processes that leave nothing behind: a clean environment, and an end for the whole tree."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import signal
from collections.abc import Iterable, Mapping

import psutil

MARK = "ZERO_ONE_RUN"
"""Environment variable that every process of one language carries, so that strays which left its tree are found."""

_SECRET_NAME = re.compile(
    r"""(?xi) key(?!board|map|ring) | token | secret | passw | passphrase | credential | cookie | webhook | bearer | jwt
    | connection_?string | (pass|_pat|_pwd|_auth|_dsn)$ | ^(bw|op)_session"""
)
_SECRET_VALUE = re.compile(
    r"""(?x) ://[^/@\s:]*:[^/@\s]+@ | ://[0-9a-f]{16,}@ | (?i:(account|shared_?access_?)key=)
    | \b(sk-|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|xapp-|AKIA|ASIA|AIza|hf_|npm_|pypi-|gsk_|eyJ)[\w-]{12,}
    | -----BEGIN[ ][A-Z ]*PRIVATE[ ]KEY | hooks\.slack\.com/services/ | discord(app)?\.com/api/webhooks/"""
)

_QUIET = {
    # Nobody sits at a terminal here: programs that page or ask must not.
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "TERM": "dumb",
    "GIT_TERMINAL_PROMPT": "0",
    "SSH_ASKPASS_REQUIRE": "never",
    "DEBIAN_FRONTEND": "noninteractive",
    "PYTHONUNBUFFERED": "1",
    "NO_COLOR": "1",
}


def environment(source: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for code a model wrote: this one without secrets, with paging and prompting off, and a mark.

    A variable is left out when its name looks like a key, token, secret or password, or its value like one or like a
    URL with one in it (a proxy's excepted: without it there is no network).
    """
    kept = {
        name: value
        for name, value in (os.environ if source is None else source).items()
        if not _SECRET_NAME.search(name) and (not _SECRET_VALUE.search(value) or name.lower().endswith("_proxy"))
    }
    kept.pop("SUDO_ASKPASS", None)
    kept.pop("SSH_ASKPASS", None)
    return kept | _QUIET | {MARK: secrets.token_hex(8)}


def tree(root: int, mark: str) -> list[psutil.Process]:
    """``root``, its descendants, what shares its session, and whatever else carries ``mark``; the root comes first."""
    found: dict[int, psutil.Process] = {}
    try:
        top = psutil.Process(root)
        found[root] = top
        found |= {child.pid: child for child in top.children(recursive=True)}
    except psutil.NoSuchProcess:
        pass
    own = os.getpid()
    for process in psutil.process_iter():
        if process.pid == own or process.pid in found:
            continue
        if _in_session(process.pid, root) or _marked(process, mark):
            found[process.pid] = process
    return list(found.values())


def program_in(pid: int) -> int:
    """The program that a sandbox was started for: outside its process 1 there is the sandbox's own, below it that one.

    Raises psutil.Error.
    """
    process = psutil.Process(pid)
    for _ in range(2):
        below = process.children()
        if not below:
            break
        process = min(below, key=lambda child: child.create_time())
    return process.pid


def _in_session(pid: int, root: int) -> bool:
    if not hasattr(os, "getsid"):
        return False
    try:
        return os.getsid(pid) == root
    except OSError:
        return False


def _marked(process: psutil.Process, mark: str) -> bool:
    try:
        return process.environ().get(MARK) == mark
    except (psutil.Error, OSError):
        return False


def _send(processes: Iterable[psutil.Process], number: int) -> None:
    for process in processes:
        try:
            process.send_signal(number)
        except psutil.Error:
            continue


def end_tree_now(root: int, mark: str, grace_s: float = 0.2) -> None:
    """Blocking: kill ``root`` at once (it must start nothing more), give the rest ``grace_s`` to end, then kill it."""
    processes = tree(root, mark)
    kill = getattr(signal, "SIGKILL", signal.SIGTERM)
    first, rest = [p for p in processes if p.pid == root], [p for p in processes if p.pid != root]
    _send(first, kill)
    _send(rest, signal.SIGTERM)
    _, alive = psutil.wait_procs(rest, timeout=grace_s) if rest else ([], [])
    _send(alive, kill)
    # What was forked between the look and the kill is found by a second look.
    _send([p for p in tree(root, mark) if p.pid != root], kill)


async def end_tree(root: int, mark: str, grace_s: float = 0.2) -> None:
    """``end_tree_now`` off the event loop; finishes even when the caller is cancelled."""
    await asyncio.shield(asyncio.to_thread(end_tree_now, root, mark, grace_s))
