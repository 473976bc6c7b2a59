"""A model hub on the loopback: the paths and headers of the real one, and its bad days."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Hub:
    """``files``: the path after ``/resolve/REVISION/``. ``faults`` are used up one per GET of a file, then all is well:
    drop (half of it, then the connection ends), hang, garbage (same length, wrong bytes), page (an error page), 416,
    500, short (a wrong length is declared), moved (the wrong part for a range)."""

    files: dict[str, bytes] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    ranges: bool = True
    declares: bool = True
    requests: list[tuple[str, str | None]] = field(default_factory=list)
    """(path, Range header) of every GET."""
    url: str = ""
    released: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def do_HEAD(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def do_GET(self) -> None:
            wanted = self.headers.get("Range")
            hub.requests.append((self.path, wanted))
            found = re.search(r"/resolve/[^/]+/(.+)$", self.path)
            body = hub.files.get(found[1]) if found else None
            if body is None:
                self._send(404, b"Entry not found", {})
                return
            fault = hub.faults.pop(0) if hub.faults else ""
            etag = '"' + hashlib.md5(body).hexdigest() + '"'
            headers = {"ETag": etag}
            if hub.declares:
                headers |= {"X-Linked-Size": str(len(body)), "X-Linked-Etag": f'"{hashlib.sha256(body).hexdigest()}"'}
            match fault:
                case "500" | "416":
                    self._send(int(fault), b"", {})
                    return
                case "page":
                    self._send(200, b"<html>Captive portal: please log in</html>", {})
                    return
                case "garbage":
                    self._send(200, bytes(255 - byte for byte in body), headers)
                    return
            start = 0
            status = 200
            if wanted and hub.ranges and self.headers.get("If-Range") == etag:
                start = int(wanted.removeprefix("bytes=").split("-")[0])
                if start >= len(body):
                    self._send(416, b"", headers)
                    return
                told = start + 1 if fault == "moved" else start
                status, headers["Content-Range"] = 206, f"bytes {told}-{len(body) - 1}/{len(body)}"
            rest = body[start:]
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(rest)))
            self.end_headers()
            if fault in ("drop", "hang"):
                self.wfile.write(rest[: len(rest) // 2])
                self.wfile.flush()
                if fault == "hang":
                    hub.released.wait(120)
                self.close_connection = True
                self.connection.close()
                return
            self.wfile.write(rest)

        def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:
            """A client that went away is no news."""

    server = Server(("127.0.0.1", 0), Handler)
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.released.set()
        server.shutdown()
        server.server_close()
        thread.join(60)
