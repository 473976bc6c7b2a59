"""Windows under macOS, by System Events. It needs the Accessibility permission, and says so when it lacks it."""

from __future__ import annotations

from typing import Any

from zero_one.computer.tools import osascript

_LIST = """
set lines_ to {}
set tab_ to character id 9
tell application "System Events"
  set front to name of first process whose frontmost is true
  repeat with p in (processes whose background only is false)
    set n to 0
    repeat with w in windows of p
      set n to n + 1
      set hidden_ to false
      try
        set hidden_ to value of attribute "AXMinimized" of w
      end try
      set end of lines_ to (unix id of p as text) & tab_ & n & tab_ & (name of p) & tab_ & ¬
        (n = 1 and name of p = front) & tab_ & hidden_ & tab_ & (name of w)
    end repeat
  end repeat
end tell
set AppleScript's text item delimiters to linefeed
return lines_ as text
"""
_ACT = """
on run argv
  tell application "System Events"
    set p to first process whose unix id is (item 1 of argv as integer)
    set w to window (item 2 of argv as integer) of p
    %s
  end tell
end run
"""


class Desktop:
    """A window's id is its process id and its place in that process's list."""

    def windows(self) -> list[dict[str, Any]]:
        found = []
        for line in osascript(_LIST).splitlines():
            pid, place, app, active, minimized, title = line.split("\t", 5)
            found.append(
                {
                    "id": f"{pid}.{place}",
                    "title": title,
                    "app": app,
                    "pid": int(pid),
                    "active": active == "true",
                    "minimized": minimized == "true",
                }
            )
        return found

    def focus(self, window: dict[str, Any]) -> None:
        self._act(window, 'set frontmost of p to true\nperform action "AXRaise" of w')

    def close(self, window: dict[str, Any]) -> None:
        self._act(window, 'click (first button of w whose subrole is "AXCloseButton")')

    def minimize(self, window: dict[str, Any]) -> None:
        self._act(window, 'set value of attribute "AXMinimized" of w to true')

    def maximize(self, window: dict[str, Any]) -> None:
        self._act(window, 'click (first button of w whose subrole is "AXFullScreenButton")')

    def _act(self, window: dict[str, Any], script: str) -> None:
        osascript(_ACT % script, *window["id"].split("."))
