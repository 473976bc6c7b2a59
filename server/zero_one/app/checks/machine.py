"""Checks of the machine: sound, display, permissions, tools, ports, disk. What may hang runs in its own process."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from zero_one.app.address import ANSWER_S, get
from zero_one.app.checks.finding import Finding, better, install, missing, ok, set_it
from zero_one.app.whereabouts import near
from zero_one.config.paths import data_dir, models_dir
from zero_one.config.settings import Settings

_DEVICES_S = 8.0
_LOW_GB = 2.0
_LIST_DEVICES = """
import dataclasses, json
from zero_one.audio.devices import AudioDeviceError, list_devices
try:
    print(json.dumps({"devices": [dataclasses.asdict(one) for one in list_devices()]}))
except AudioDeviceError as error:
    print(json.dumps({"problem": str(error)}))
"""


def sound() -> Iterator[Finding]:
    """Microphones and loudspeakers, asked for in a process that can be given up."""
    area = "sound"
    try:
        done = subprocess.run(
            [sys.executable, "-c", _LIST_DEVICES],
            capture_output=True,
            text=True,
            timeout=_DEVICES_S,
            stdin=subprocess.DEVNULL,
        )
        found = json.loads(done.stdout.strip().splitlines()[-1])
    except subprocess.TimeoutExpired:
        yield better(area, "devices", f"the sound system did not answer within {_DEVICES_S:.0f} s")
        return
    except (OSError, ValueError, IndexError):
        yield better(area, "devices", "the sound devices could not be listed")
        return
    if problem := found.get("problem"):
        library = install("libportaudio2", dnf="portaudio", pacman="portaudio", brew="portaudio")
        yield better(area, "portaudio", str(problem).split(". ")[0] + ".", library)
        return
    for name, key in (("microphone", "inputs"), ("loudspeaker", "outputs")):
        names = [str(one["name"]) for one in found["devices"] if one[key]]
        if names:
            yield ok(area, name, ", ".join(names[:4]) + (" ..." if len(names) > 4 else ""))
        else:
            instead = (
                "speak from a file with 01 demo --wav FILE, or type" if name == "microphone" else "read the captions"
            )
            yield better(area, name, f"none was found: {instead}", f"connect a {name}")


def display(settings: Settings) -> Iterator[Finding]:
    """The display, and how the hotkey is heard there."""
    area = "display"
    if sys.platform in {"darwin", "win32"}:
        yield ok(area, "display", "the desktop")
        yield ok(area, "hotkey", f"{settings.client.hotkey} by pynput")
        return
    wayland, x11 = os.environ.get("WAYLAND_DISPLAY"), os.environ.get("DISPLAY")
    if wayland:
        yield ok(area, "display", f"Wayland ({wayland})")
        text = "Wayland keeps keys from other programs: bind a key to the toggle command in your desktop's settings"
        yield better(area, "hotkey", text, "01-client --help")
    elif x11:
        yield ok(area, "display", f"X11 ({x11})")
        yield ok(area, "hotkey", f"{settings.client.hotkey} by pynput")
    else:
        yield better(
            area, "display", "none: there is no hotkey and no screen to act on; the server serves all the same"
        )


def permissions() -> Iterator[Finding]:
    area = "permissions"
    if sys.platform == "darwin":
        panes = "x-apple.systempreferences:com.apple.preference.security?Privacy_"
        for name, pane in (("microphone", "Microphone"), ("hotkey", "Accessibility"), ("screenshots", "ScreenCapture")):
            text = f"macOS asks the first time; allow your terminal under Privacy & Security, {pane}"
            yield better(area, name, text, f"open '{panes}{pane}'")
        return
    if sys.platform == "win32":
        yield better(area, "microphone", "allow desktop apps to use it", "start ms-settings:privacy-microphone")
        return
    devices = Path("/dev/snd")
    controls = list(devices.glob("control*")) if devices.is_dir() else []
    if controls and not any(os.access(one, os.R_OK | os.W_OK) for one in controls):
        yield better(area, "sound card", "you may not use it directly", "sudo usermod -aG audio $USER")
    events = sorted(Path("/dev/input").glob("event*")) if Path("/dev/input").is_dir() else []
    if os.environ.get("WAYLAND_DISPLAY") and events and not any(os.access(one, os.R_OK) for one in events):
        yield ok(area, "keyboard", "keys cannot be read directly, which is as it should be")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        yield better(area, "user", "this runs as root: what the assistant does, it does as root", "run it as yourself")
    else:
        yield ok(area, "user", "not root")


def tools() -> Iterator[Finding]:
    """Programs that the hands of the computer use where they are there."""
    if sys.platform != "linux":
        return
    area = "tools"
    wayland = bool(os.environ.get("WAYLAND_DISPLAY"))
    clipboard = ("wl-copy", "wl-clipboard") if wayland else ("xclip", "xclip")
    wanted: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
        ("clipboard", (clipboard[0],) if wayland else ("xclip", "xsel"), clipboard[1], ""),
        ("windows", ("wmctrl", "xdotool"), "wmctrl", ""),
        ("volume", ("wpctl", "pactl", "amixer"), "alsa-utils", ""),
        ("notifications", ("notify-send",), "libnotify-bin", "libnotify"),
        ("opening files", ("xdg-open",), "xdg-utils", ""),
        ("screen lock", ("loginctl", "xdg-screensaver"), "xdg-utils", ""),
    )
    for name, programs, package, other in wanted:
        found = next((path for program in programs if (path := shutil.which(program))), None)
        if found:
            yield ok(area, name, found)
        else:
            fix = install(package, dnf=other, pacman=other) if other else install(package)
            yield better(area, name, f"{' or '.join(programs)} is not installed", fix)


def sandbox(settings: Settings) -> Iterator[Finding]:
    """Is there a sandbox for the code that a model writes? Tried for real."""
    from zero_one.safety.cells import Housing
    from zero_one.safety.sandbox import available

    area, housing = "sandbox", Housing(settings.sandbox, ())
    if housing.kind is not None:
        network = "the public internet" if settings.sandbox.network else "no network unless agreed to"
        yield ok(area, housing.kind, f"code runs in it: home folder {settings.sandbox.home}, {network}")
        if housing.kind == "bubblewrap" and hasattr(os, "geteuid") and os.geteuid() == 0:
            yield better(area, "limits", "as root they are kept by 01 alone, not by the system", "run it as yourself")
    elif settings.sandbox.kind == "off":
        yield better(area, "off", "code runs without one, and every change is asked about", set_it("sandbox.kind=auto"))
    else:
        fix = install("bubblewrap") if shutil.which("bwrap") is None and available() is None else "docs/sandbox.md"
        yield better(area, "none", housing.trouble, fix)


def port(settings: Settings) -> Iterator[Finding]:
    """Is the port free, or does a server of ours answer there?"""
    area, host, number = "server", settings.server.host, settings.server.port
    where = near(settings)
    if urlsplit(where.ws).port != number and get(f"{where.http}/ping", ANSWER_S, where.context()):
        yield ok(area, "running", f"a 01 server answers at {where.ws}")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.create_server((host, number), family=family):
            yield ok(area, "port", f"{number} on {host} is free")
            return
    except OSError as error:
        if error.errno == errno.EACCES:
            text = f"{number} on {host} is not allowed: ports below 1024 belong to the administrator"
            yield missing(area, "port", text, "01 --server-port 10101")
            return
        if error.errno != errno.EADDRINUSE:
            yield missing(
                area, "port", f"{host} cannot be listened on: {error.strerror or error}", "01 --server-host 127.0.0.1"
            )
            return
    page = get(f"{where.http}/ping", ANSWER_S, where.context())
    if page is not None and page.strip().strip('"') == "pong":
        yield ok(area, "port", f"a 01 server answers at {where.ws}")
        if (health := get(f"{where.http}/health", ANSWER_S, where.context())) is not None:
            yield ok(area, "health", _health(health))
    else:
        yield missing(
            area, "port", f"{number} on {host} is used by another program", f"01 --server-port {_next_free(number)}"
        )


def _next_free(number: int) -> int:
    """The first port after that one which nobody uses."""
    for port in range(number + 1, min(number + 50, 65536)):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    return 0


def _health(text: str) -> str:
    try:
        health = json.loads(text)
        engines = health.get("engines", {})
        parts = [f"{name}: {one.get('engine', '?')} {one.get('state', '')}" for name, one in engines.items()]
        return ", ".join([str(health.get("status", "answers")), *parts])
    except (ValueError, AttributeError):
        return "answers"


def disk() -> Iterator[Finding]:
    seen: set[int] = set()
    for name, path in (("data", data_dir()), ("models", models_dir())):
        nearest = next((one for one in (path, *path.parents) if one.exists()), Path("/"))
        device = nearest.stat().st_dev
        if device in seen:
            continue
        seen.add(device)
        free = shutil.disk_usage(nearest).free / 1e9
        if free < _LOW_GB:
            yield better("disk", name, f"only {free:.1f} GB free at {nearest}", f"du -xhd1 {nearest} | sort -h")
        else:
            yield ok("disk", name, f"{free:.0f} GB free at {nearest}")


def remote(url: str) -> Iterator[Finding]:
    """A server that was named with --server-url."""
    from zero_one.app.address import named

    where = named(url)
    page = get(f"{where.http}/ping", ANSWER_S, where.context())
    if page is None:
        yield missing("server", "answer", f"nobody answers at {where.http}", "01 --server")
    elif page.strip().strip('"') != "pong":
        yield missing("server", "answer", f"something else answers at {where.http}", "01 --server")
    else:
        yield ok("server", "answer", f"a 01 server answers at {where.ws}")
        if (health := get(f"{where.http}/health", ANSWER_S, where.context())) is not None:
            yield ok("server", "health", _health(health))
