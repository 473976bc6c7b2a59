"""A port without TLS beside the one with it, for the first 01's devices, which know no TLS.

It opens when the owner has admitted the first such device by its address, and lets in only those addresses, only at
level 0: no key ever travels there.
"""

from __future__ import annotations

from collections.abc import Callable

from zero_one.identity.devices import DeviceBook
from zero_one.servers.entrance import Entrance
from zero_one.servers.listener import ListenError, Server, listen


class PlainDoor:
    """``look`` is called now and then. ``port`` is the number once it is open, None before."""

    def __init__(self, book: DeviceBook, server: Server, host: str, port: int, tell: Callable[[str], None]) -> None:
        self._book, self._server, self._host, self._wanted, self._tell = book, server, host, port, tell
        self._tried = False
        self.port: int | None = None

    def look(self) -> None:
        """Open it if there is anybody for it."""
        if self._tried or not self._server.started or not any(device.address for device in self._book):
            return
        self._tried = True
        try:
            listener = listen(self._host, self._wanted)
        except ListenError as error:
            self._tell(f"Devices of the first 01 cannot connect. Set server.plain_port to a port that is free. {error}")
            return
        self.port = listener.getsockname()[1]
        self._server.open(Entrance(listener, plain=True))
        self._tell(f"Devices of the first 01 that you admitted connect to port {self.port}, without TLS.")
