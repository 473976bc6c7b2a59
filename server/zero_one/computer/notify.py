"""Notifications on the desktop."""

from __future__ import annotations

import sys
from typing import Literal

from zero_one.computer import tools
from zero_one.computer.method import HandsError, method

_APP = "01"
_URGENCY = {"low": 0, "normal": 1, "critical": 2}
_TOAST = """
$lines = @($input); $title = $lines[0]; $text = ($lines | Select-Object -Skip 1) -join "`n"
[void][Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]
$kind = [Windows.UI.Notifications.ToastTemplateType]::ToastText02
$xml = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent($kind)
$parts = $xml.GetElementsByTagName("text")
[void]$parts.Item(0).AppendChild($xml.CreateTextNode($title))
[void]$parts.Item(1).AppendChild($xml.CreateTextNode($text))
$toast = [Windows.UI.Notifications.ToastNotification]::new($xml)
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier("01").Show($toast)
"""


@method("observe")
def send(title: str, text: str = "", urgency: Literal["low", "normal", "critical"] = "normal") -> None:
    """Show a notification with a title and a text."""
    if sys.platform == "darwin":
        script = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"
        tools.osascript(script, title, text)
        return
    if sys.platform == "win32":
        tools.powershell(_TOAST, stdin=f"{' '.join(title.split())}\n{text}")
        return
    tool = tools.first("notify-send", "gdbus")
    if tool is None:
        raise HandsError("Notifications need a program that is missing.", tools.install("libnotify-bin"))
    try:
        tools.run(_command(tool, title, text, urgency))
    except HandsError as error:
        raise HandsError(
            f"No notification could be shown: {error.what}", "Is a desktop session with a notification area running?"
        ) from None


def _command(tool: str, title: str, text: str, urgency: str) -> list[str]:
    if tool == "notify-send":
        return [tool, f"--app-name={_APP}", f"--urgency={urgency}", "--", title, text]
    return [
        *("gdbus", "call", "--session", "--timeout=8"),
        *("--dest=org.freedesktop.Notifications", "--object-path=/org/freedesktop/Notifications"),
        "--method=org.freedesktop.Notifications.Notify",
        "--",
        *(_variant(_APP), "0", _variant(""), _variant(title), _variant(text)),
        *("[]", f"{{'urgency': <byte {_URGENCY[urgency]}>}}", "-1"),
    ]


def _variant(text: str) -> str:
    """A string in GVariant's text format."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{plain}"'
