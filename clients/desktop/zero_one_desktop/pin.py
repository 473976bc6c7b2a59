"""TLS by pin: a connection counts only if the server shows exactly the certificate that was agreed when pairing.

The check is part of the handshake, so that no byte of ours (a key above all) goes to a server that fails it.
"""

from __future__ import annotations

import hashlib
import hmac
import socket
import ssl


class WrongCertificate(ssl.SSLCertVerificationError):
    """The server showed another certificate than the pinned one. ``shown`` is the fingerprint of what it showed."""

    def __init__(self, shown: str) -> None:
        super().__init__(1, "the server's certificate is not the one that was pinned")
        self.shown = shown


def fingerprint(der: bytes) -> str:
    """SHA-256 of a certificate, 64 lower-case hex digits."""
    return hashlib.sha256(der).hexdigest()


def pinned(pin: str) -> ssl.SSLContext:
    """A client's context that accepts one certificate and no other, whatever names and dates stand in it.

    Handshakes with it raise WrongCertificate.
    """

    def check(shown: bytes | None) -> None:
        found = fingerprint(shown or b"")
        if not hmac.compare_digest(found, pin):
            raise WrongCertificate(found)

    class PinnedObject(ssl.SSLObject):
        def do_handshake(self) -> None:
            super().do_handshake()
            check(self.getpeercert(binary_form=True))

    class PinnedSocket(ssl.SSLSocket):
        def do_handshake(self, block: bool = False) -> None:
            super().do_handshake(block)
            check(self.getpeercert(binary_form=True))

    context = _unchecked()
    context.sslobject_class = PinnedObject
    context.sslsocket_class = PinnedSocket
    return context


def shown_certificate(host: str, port: int, timeout_s: float) -> str | None:
    """The fingerprint of the certificate that a server shows; None where no TLS is spoken. Raises OSError.

    Nothing is sent and nothing is trusted by this: people compare it, or it is compared with a pin.
    """
    with socket.create_connection((host, port), timeout_s) as plain:
        try:
            with _unchecked().wrap_socket(plain) as link:
                return fingerprint(link.getpeercert(binary_form=True) or b"")
        except (ssl.SSLError, ConnectionResetError):
            return None


def _unchecked() -> ssl.SSLContext:
    """The usual checks ask a certificate authority; a pin replaces them."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
