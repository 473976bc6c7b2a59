"""What is known of Python's modules and packages as a whole."""

from __future__ import annotations

from zero_one.safety.risk import python_names as names
from zero_one.safety.risk.model import Effect, Risk, changes


def is_of_a_table(name: str) -> bool:
    """A function of a table, or a method of what it gives back."""
    parts = name.split(".")
    return any(is_listed(".".join(parts[:length])) for length in range(2, len(parts) + 1))


def is_listed(name: str) -> bool:
    return any(name in table for table in _TABLES)


def module_effects(module: str) -> list[Effect]:
    """Importing runs a module's code; one that is not known may do anything, so it asks."""
    top = module.split(".")[0]
    if top in names.SPEND:
        return [Effect("spend", module, Risk.SPEND_OR_SEND)]
    if names.looks(module) or top in KNOWN_MODULES:
        return []
    if top in DEVICE_MODULES or top in (
        "computer",
        "os",
        "sys",
        "shutil",
        "subprocess",
        "ctypes",
        "keyboard",
        "mouse",
        "tkinter",
        "turtle",
        "pygame",
    ):
        return []
    return [changes("process", f"uses the package {top}")]


def unknown_package(module: str) -> str | None:
    """The package, when nothing is known about it but its name."""
    top = module.split(".")[0]
    return top if module_effects(module) and top not in names.SPEND else None


DEVICE_MODULES = set(
    """
    pyautogui pynput keyboard mouse pywinauto uiautomation selenium playwright appscript win32com
    """.split()
)


_TABLES = (
    names.OPAQUE,
    names.SHELL,
    names.PROCESS,
    names.DELETE,
    names.MOVE,
    names.COPY,
    names.MODES,
    names.WRITE,
    names.FETCH,
    names.DOWNLOAD,
    names.SEND,
    names.CREDENTIAL,
    names.LISTEN,
    names.PROCESS_END,
    names.DEVICE,
    names.PERSIST,
)
KNOWN_MODULES = {name.split(".")[0] for table in _TABLES for name in table} | names.REMOTE | {"git"}
