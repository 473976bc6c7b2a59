"""A tunnel of one's own: ``ssh -N -R`` to any machine with an SSH server and a public address.

SSH rather than a tunnel program such as frp: it is on both machines already, its keys and known hosts are the owner's,
and it carries TLS through untouched, so that the machine in between cannot read along and devices pin our certificate.
"""

from __future__ import annotations

import re
import shutil
from urllib.parse import urlsplit

from zero_one.app.expose import ExposeError, Trouble, Up

_UP = re.compile(r"remote forward success for: listen ")
_WRONG = (
    (re.compile(r"Permission denied"), True,
     "the key was not accepted there. Make ssh to that machine work without a password first (ssh-copy-id)."),
    (re.compile(r"Host key verification failed|No \S+ host key is known"), True,
     "that machine is not known to ssh, or another one than before. Connect to it once by hand and look at its key."),
    (re.compile(r"remote port forwarding failed|administratively prohibited|remote forward failure"), False,
     "that machine did not open the port. Is it taken, below 1024, or is AllowTcpForwarding off in its sshd_config?"),
    (re.compile(r"Could not resolve hostname|Connection refused|timed out|No route|Connection closed|Connection reset"),
     False, "that machine cannot be reached."),
)  # fmt: skip


class Ssh:
    """``to`` is ``user@host`` or ``user@host:port``; ``port`` is the one that is opened there.

    ``options`` are more arguments for ssh, such as another configuration file.
    """

    name = "ssh"
    tls = True

    def __init__(self, to: str | None, port: int, options: tuple[str, ...] = ()) -> None:
        self._port, self._options = port, options
        if not to:
            raise ExposeError("--expose by ssh needs the machine to go through: set server.expose_to to user@host.")
        try:
            parts = urlsplit(f"ssh://{to}")
            self._user, self._ssh_port, self.host = parts.username, parts.port, parts.hostname or ""
        except ValueError:
            self.host = ""
        if not self.host or self.host.startswith("-") or parts.path or parts.password:
            raise ExposeError(f"server.expose_to: {to!r} is no machine; write it as user@host or user@host:port.")

    def command(self, port: int) -> list[str]:
        program = shutil.which("ssh")
        if program is None:
            raise ExposeError("--expose by ssh needs the program ssh: install OpenSSH's client.")
        settings = {
            "BatchMode": "yes",  # nobody is there to type a password
            "StrictHostKeyChecking": "yes",
            "ExitOnForwardFailure": "yes",
            "ServerAliveInterval": "15",
            "ServerAliveCountMax": "3",
            "ConnectTimeout": "15",
            "ForwardAgent": "no",
            "ForwardX11": "no",
            "RequestTTY": "no",
        }
        command = [program, "-v", "-N", "-T", *self._options]
        for name, value in settings.items():
            command += ["-o", f"{name}={value}"]
        command += ["-R", f"*:{self._port}:127.0.0.1:{port}"]
        if self._ssh_port:
            command += ["-p", str(self._ssh_port)]
        if self._user:
            command += ["-l", self._user]
        return [*command, "--", self.host]

    def read(self, line: str) -> Up | Trouble | None:
        if _UP.search(line):
            return Up(host=self.host, port=self._port)
        for pattern, final, words in _WRONG:
            if pattern.search(line):
                return Trouble(f"{self.host}: {words}", final=final)
        return None
