"""The first program of a sandbox, its process 1: it keeps the limits and the only way to the network.

Runs as ``python -I -S inside.py CONFIG -- COMMAND…`` and imports nothing of ours. It starts the command, takes in what
it leaves behind, and ends with its status; with process 1, everything in the sandbox ends. Code in the sandbox cannot
signal it (the kernel shields process 1), nor read or write its memory (it is not dumpable).

CONFIG is JSON: ``memory`` (bytes, of each process and of all together), ``processes``, ``open_files``, ``file_size``
(bytes), ``cpu_s``, ``free`` (bytes that must stay free on the disk of ``disk``), ``proxy`` (path of a unix socket),
``port`` (of 127.0.0.1, from where connections are taken to that socket) and ``granted`` (path, device and inode of each
thing that must be shown under this path and no other).
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
import threading
from typing import Any

SWAPPED = 125
TOO_MANY, TOO_MUCH, DISK_FULL = 121, 122, 123
"""Exit statuses of a sandbox that was ended for its processes, its memory, or for filling the disk."""

_LOOK_S = 0.25
_CONNECTIONS = 64
_PIECE = 64 * 1024


def main() -> int:
    config: dict[str, Any] = json.loads(sys.argv[1])
    command = sys.argv[sys.argv.index("--") + 1 :]
    for path, *mark in config.get("granted", ()):
        if not _is(path, mark):
            os.write(2, f"{path} was swapped for something else while the sandbox was made.\n".encode())
            return SWAPPED
    _limit(config)
    listener = _listen(config) if config.get("proxy") else None
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    child = os.fork()
    if child == 0:
        _become(command)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    lifeline = os.dup(0)
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    _hide()
    if listener is not None:
        threading.Thread(target=_forward, args=(listener, config["proxy"]), daemon=True).start()
    return _keep(child, lifeline, config)


def _is(path: str, mark: list[int]) -> bool:
    try:
        info = os.lstat(path)
    except OSError:
        return False
    return [info.st_dev, info.st_ino] == mark


def _become(command: list[str]) -> None:
    for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    os.setsid()
    try:
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
        os._exit(127)


def _limit(config: dict[str, Any]) -> None:
    import resource as r

    # Not the address space: programs with a compiler inside (node) reserve far more of it than they use.
    wanted = {
        r.RLIMIT_DATA: config.get("memory"),
        r.RLIMIT_NPROC: config.get("processes") if _counts_for_itself() else None,
        r.RLIMIT_NOFILE: config.get("open_files"),
        r.RLIMIT_FSIZE: config.get("file_size"),
        r.RLIMIT_CPU: config.get("cpu_s"),
        r.RLIMIT_CORE: 0,
    }
    for what, most in wanted.items():
        if most is not None:
            hard = r.getrlimit(what)[1]
            most = most if hard == r.RLIM_INFINITY else min(most, hard)
            r.setrlimit(what, (most, most))


def _counts_for_itself() -> bool:
    """Before 5.14 Linux counts the processes of a user on the whole machine, whose desktop may have more already."""
    try:
        major, minor = (int(part) for part in os.uname().release.split(".")[:2])
    except ValueError:
        return False
    return (major, minor) >= (5, 14)


def _hide() -> None:
    """Nobody in here may look into our memory, or change it, through /proc."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
    except (ImportError, OSError, AttributeError):
        pass  # a Python without ctypes: process 1 is then shielded from signals only


def _keep(child: int, lifeline: int, config: dict[str, Any]) -> int:
    """Wait for the command, taking in what it leaves, and look after the limits that span all its processes."""
    hung_up = select.poll()
    hung_up.register(lifeline, 0)
    disk = config.get("disk")
    start, floor = (_free(disk) if disk else 0), config.get("free", 0)
    if start < floor:
        floor = start // 2  # somebody else filled it
    while True:
        signal.sigtimedwait({signal.SIGCHLD}, _LOOK_S)
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return 0
            if pid == 0:
                break
            if pid == child:
                code = os.waitstatus_to_exitcode(status)
                return 128 - code if code < 0 else code
        count, memory = _used()
        if count > config.get("processes", count):
            return TOO_MANY
        if memory > config.get("memory", memory):
            return TOO_MUCH
        if disk and _free(disk) < floor:
            return DISK_FULL
        if any(event & (select.POLLHUP | select.POLLERR) for _, event in hung_up.poll(0)):
            return 1  # the host is gone


def _used() -> tuple[int, int]:
    """Processes of this sandbox, and the bytes of memory that they hold together."""
    count = pages = 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            count += 1
            try:
                with open(f"/proc/{name}/statm") as file:
                    pages += int(file.read().split()[1])
            except (OSError, IndexError):
                continue
    return count, pages * os.sysconf("SC_PAGE_SIZE")


def _free(path: str) -> int:
    try:
        found = os.statvfs(path)
    except OSError:
        return sys.maxsize
    return found.f_bavail * found.f_frsize


def _listen(config: dict[str, Any]) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", config["port"]))
    listener.listen(_CONNECTIONS)
    return listener


def _forward(listener: socket.socket, proxy: str) -> None:
    places = threading.BoundedSemaphore(_CONNECTIONS)
    while True:
        places.acquire()
        try:
            near, _ = listener.accept()
        except OSError:
            places.release()
            continue
        threading.Thread(target=_join, args=(near, proxy, places), daemon=True).start()


def _join(near: socket.socket, proxy: str, places: threading.BoundedSemaphore) -> None:
    far = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with near, far:
            far.connect(proxy)
            back = threading.Thread(target=_pump, args=(far, near), daemon=True)
            back.start()
            _pump(near, far)
            back.join()
    except (OSError, RuntimeError):
        pass  # one connection less; its program sees it closed
    finally:
        places.release()


def _pump(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(_PIECE):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        for one in (source, target):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue


if __name__ == "__main__":
    # At once: threads may still hold connections, and there is nothing to tidy up.
    os._exit(main())
