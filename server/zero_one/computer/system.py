"""Facts about this computer: disk, memory, battery, processor, network, clock."""

from __future__ import annotations

import datetime
import ipaddress
import os
import platform
import shutil
import socket
import time
from pathlib import Path
from typing import Annotated, Any

import psutil
from pydantic import Field

from zero_one.computer import places
from zero_one.computer.method import HandsError, method


@method("observe")
def disk(path: str = "~") -> dict[str, Any]:
    """Space on the disk that holds a path: path, total, used, free (bytes), percent (used)."""
    where = places.named(path) or Path(path).expanduser()
    try:
        usage = shutil.disk_usage(where)
    except OSError as error:
        raise HandsError(f"There is no {where}: {error.strerror}.") from None
    # What root keeps for itself is neither used nor free to us; df counts the same way.
    percent = 100 * usage.used / ((usage.used + usage.free) or 1)
    return {
        "path": str(where),
        "total": usage.total,
        "used": usage.used,
        "free": usage.free,
        "percent": round(percent, 1),
    }


@method("observe")
def memory() -> dict[str, Any]:
    """Main memory: total, used, available (bytes), percent (used); swap_total and swap_used."""
    main, swap = psutil.virtual_memory(), psutil.swap_memory()
    return {
        "total": main.total,
        "used": main.total - main.available,
        "available": main.available,
        "percent": main.percent,
        "swap_total": swap.total,
        "swap_used": swap.used,
    }


@method("observe")
def battery() -> dict[str, Any]:
    """The battery: present, percent, charging, plugged_in, minutes_left (null when unknown or on mains)."""
    read = getattr(psutil, "sensors_battery", lambda: None)()
    if read is None:
        return {"present": False, "percent": None, "charging": False, "plugged_in": True, "minutes_left": None}
    plugged = bool(read.power_plugged)
    return {
        "present": True,
        "percent": round(read.percent),
        "charging": plugged and read.percent < 99,
        "plugged_in": plugged,
        "minutes_left": read.secsleft // 60 if not plugged and read.secsleft > 0 else None,
    }


@method("observe")
def cpu() -> dict[str, Any]:
    """The processor: percent in use over the last 0.3 s, cores, load (1, 5, 15 minutes), temperature (°C or null)."""
    sensors: dict[str, list[Any]] = getattr(psutil, "sensors_temperatures", dict)()
    heat = [reading.current for readings in sensors.values() for reading in readings if reading.current > 0]
    return {
        "percent": psutil.cpu_percent(interval=0.3),
        "cores": os.cpu_count() or 1,
        "load": [round(value, 2) for value in psutil.getloadavg()],
        "temperature": max(heat) if heat else None,
    }


@method("observe")
def network() -> dict[str, Any]:
    """The network: hostname, address (the one others on the network reach, or null), addresses, connected."""
    stats = psutil.net_if_stats()
    found = []
    for interface, addresses in psutil.net_if_addrs().items():
        if interface in stats and not stats[interface].isup:
            continue
        for address in addresses:
            if address.family not in (socket.AF_INET, socket.AF_INET6):
                continue
            plain = ipaddress.ip_address(address.address.partition("%")[0])
            if not plain.is_loopback and not plain.is_link_local:
                found.append({"interface": interface, "address": str(plain), "version": plain.version})
    main = _outward()
    if main is None:
        main = next((str(one["address"]) for one in found if one["version"] == 4), None)
    return {"hostname": socket.gethostname(), "address": main, "addresses": found, "connected": bool(found)}


@method("observe")
def uptime() -> dict[str, Any]:
    """Since when the computer runs: seconds, and since (ISO 8601)."""
    since = psutil.boot_time()
    return {"seconds": int(time.time() - since), "since": _iso(since)}


@method("observe")
def clock() -> dict[str, Any]:
    """Now: iso (ISO 8601 with offset), timezone, offset_minutes."""
    now = datetime.datetime.now().astimezone()
    offset = now.utcoffset() or datetime.timedelta()
    return {
        "iso": now.isoformat(timespec="seconds"),
        "timezone": _zone(now),
        "offset_minutes": int(offset.total_seconds() // 60),
    }


@method("observe")
def about() -> dict[str, Any]:
    """This computer: hostname, user, os, version, machine (processor type), cores, memory (bytes)."""
    name = platform.system()
    version = platform.version()
    if name == "Linux":
        try:
            version = platform.freedesktop_os_release().get("PRETTY_NAME", version)
        except OSError:
            pass
    return {
        "hostname": socket.gethostname(),
        "user": Path.home().name,
        "os": {"Darwin": "macOS"}.get(name, name),
        "version": platform.mac_ver()[0] or version,
        "machine": platform.machine(),
        "cores": os.cpu_count() or 1,
        "memory": psutil.virtual_memory().total,
    }


@method("observe")
def processes(limit: Annotated[int, Field(ge=1, le=100)] = 10) -> list[dict[str, Any]]:
    """The programs that use most memory: pid, name, memory (bytes), started (ISO 8601)."""
    found = []
    for process in psutil.process_iter(["pid", "name", "memory_info", "create_time"]):
        about_it = process.info
        if about_it["memory_info"] is not None:
            found.append(about_it)
    found.sort(key=lambda one: -one["memory_info"].rss)
    return [
        {"pid": one["pid"], "name": one["name"], "memory": one["memory_info"].rss, "started": _iso(one["create_time"])}
        for one in found[:limit]
    ]


def _outward() -> str | None:
    """The address of the interface that the default route leaves by; connecting a UDP socket sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # TEST-NET-1 (RFC 5737)
        except OSError:
            return None
        address: str = probe.getsockname()[0]
    return None if ipaddress.ip_address(address).is_loopback else address


def _iso(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(seconds).astimezone().isoformat(timespec="seconds")


def _zone(now: datetime.datetime) -> str:
    """The IANA name where the system has one, else the abbreviation."""
    named = os.environ.get("TZ", "").lstrip(":")
    if "/" in named and not named.startswith("/"):
        return named
    local = os.path.realpath("/etc/localtime")
    return local.partition("zoneinfo/")[2] or now.tzname() or "UTC"
