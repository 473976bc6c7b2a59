"""The tunnel of the first 01: ngrok, as its own program. Its key is where ``ngrok config add-authtoken`` puts it, or in
NGROK_AUTHTOKEN; it never passes through us.

The program and not the wrapper pyngrok, which downloads a binary of its own and is released by others than its makers.
Its log speaks JSON, one object a line: https://ngrok.com/docs/agent/cli
"""

from __future__ import annotations

import json
import re
import shutil
from urllib.parse import urlsplit

from zero_one.app.expose import ExposeError, Trouble, Up

_CODE = re.compile(r"ERR_NGROK_\d+")
# Wrong or missing key, an account that may not do this, a domain of somebody else: nothing that waiting mends.
_FINAL = frozenset(f"ERR_NGROK_{number}" for number in (105, 106, 107, 108, 120, 121, 302, 313, 320, 326, 4018, 8012))


class Ngrok:
    """``domain``: a name that is reserved for this account."""

    name = "ngrok"
    tls = False

    def __init__(self, domain: str | None = None) -> None:
        self._domain = domain

    def command(self, port: int) -> list[str]:
        program = shutil.which("ngrok")
        if program is None:
            raise ExposeError(
                "--expose needs the program ngrok: install it from https://ngrok.com/download and give it your key "
                "(ngrok config add-authtoken …). A machine of your own works too: set server.expose to ssh and "
                "server.expose_to to user@host."
            )
        # Not inspected: its inspection pages would show every key to every user of this machine.
        more = ["--url", f"https://{self._domain}"] if self._domain else []
        return [program, "http", f"http://127.0.0.1:{port}", "--inspect=false", *more,
                "--log", "stdout", "--log-format", "json", "--log-level", "info"]  # fmt: skip

    def read(self, line: str) -> Up | Trouble | None:
        try:
            row = json.loads(line)
        except ValueError:
            return _trouble(line)
        if not isinstance(row, dict):
            return None
        url = row.get("url")
        if isinstance(url, str) and "started" in str(row.get("msg")):
            if urlsplit(url).scheme != "https":
                return Trouble(f"ngrok offers {url}, which is not TLS, so it is not used.", final=True)
            return Up(public=url)
        told = row.get("err")
        if isinstance(told, str) and told not in ("", "nil", "<nil>"):
            return _trouble(told)
        return None


def _trouble(text: str) -> Trouble | None:
    words = " ".join(text.split())
    code = _CODE.search(words)
    if code is None and "ERROR" not in text:
        return None
    return Trouble(f"ngrok says: {words[:300]}", final=code is not None and code[0] in _FINAL)
