"""Where this installation keeps who may talk to it: ``data_dir()/identity`` with devices.json, pairing.json,
certificate.pem and key.pem. The server and commands such as ``01 pair`` are different processes that share it."""

from __future__ import annotations

from pathlib import Path

from zero_one.config.paths import data_dir
from zero_one.config.resolve import is_loopback
from zero_one.config.settings import Settings
from zero_one.identity.certificate import Certificate, CertificateError, given_certificate, own_certificate
from zero_one.identity.devices import DeviceBook
from zero_one.identity.pairing import PairingDesk


def identity_dir() -> Path:
    return data_dir() / "identity"


def devices() -> DeviceBook:
    return DeviceBook(identity_dir() / "devices.json")


def desk() -> PairingDesk:
    return PairingDesk(identity_dir() / "pairing.json")


def speaks_tls(settings: Settings) -> bool:
    """Whether the server's own port speaks TLS: wherever other machines can reach it, unless its owner said no."""
    server = settings.server
    return server.tls == "on" or (server.tls == "auto" and not is_loopback(server.host))


def certificate(settings: Settings) -> Certificate | None:
    """What the server shows: the owner's own certificate, or ours, made on first need; None without TLS.

    Raises CertificateError.
    """
    if not speaks_tls(settings):
        return None
    server = settings.server
    if server.tls_certificate is None and server.tls_key is None:
        return own_certificate(identity_dir())
    if server.tls_certificate is None or server.tls_key is None:
        raise CertificateError("server.tls_certificate and server.tls_key belong together: set both, or neither.")
    return given_certificate(Path(server.tls_certificate).expanduser(), Path(server.tls_key).expanduser())
