"""The certificate that a server shows: one that signs itself, made on first need, or one that the owner brings.

A self-signed certificate proves nothing by its names; devices know it by its fingerprint (SHA-256 of the DER, 64
lower-case hex digits), which travels in the QR code and is pinned. So it is kept for ten years and never made again
while it can be read: a new one means that every device must pair again.
"""

from __future__ import annotations

import contextlib
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from filelock import FileLock

from zero_one.files import set_aside, write_whole
from zero_one.identity.addresses import own_addresses, own_names

_YEARS = 10
_SKEW = timedelta(days=1)
"""Devices without a battery-backed clock may be behind."""
_LOCK_S = 10.0


class CertificateError(Exception):
    """A certificate or key that cannot be used. The text says why and what to do."""


class UnreadableError(CertificateError):
    """A file that is there and may not be read."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """Two PEM files that fit each other. ``fresh``: it was made just now, so devices that pinned another must pair."""

    certificate: Path
    key: Path
    fingerprint: str
    expires: datetime
    fresh: bool = False

    def context(self) -> ssl.SSLContext:
        """What a server's sockets need. Raises CertificateError."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            context.load_cert_chain(self.certificate, self.key, password=lambda: "")
        except (OSError, ssl.SSLError) as error:
            raise CertificateError(f"{self.certificate} and {self.key} cannot be used for TLS: {error}.") from error
        return context


def own_certificate(folder: Path, *, now: datetime | None = None) -> Certificate:
    """The self-signed one in ``folder`` (certificate.pem and key.pem, mode 0600), made if there is none that holds.

    One that is damaged or has expired is set aside, not lost. Raises CertificateError.
    """
    now = now or datetime.now(UTC)
    paths = folder / "certificate.pem", folder / "key.pem"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with FileLock(folder / "certificate.lock", timeout=_LOCK_S, mode=0o600):
            if all(path.exists() for path in paths):
                try:
                    return given_certificate(*paths, now=now)
                except UnreadableError:
                    raise  # what cannot be read may be good: a new one would break every pin
                except CertificateError:
                    pass
            for path in paths:
                if path.exists():
                    set_aside(path)
            _make(*paths, now)
    except OSError as error:
        raise CertificateError(f"No certificate could be made in {folder}: {error.strerror or error}.") from error
    found = given_certificate(*paths, now=now)
    return Certificate(found.certificate, found.key, found.fingerprint, found.expires, fresh=True)


def given_certificate(certificate: Path, key: Path, *, now: datetime | None = None) -> Certificate:
    """A certificate of the owner's own: PEM, the chain's first is the server's. Raises CertificateError."""
    now = now or datetime.now(UTC)
    try:
        found = x509.load_pem_x509_certificates(_read(certificate))[0]
    except (ValueError, IndexError) as error:
        raise CertificateError(f"{certificate} holds no certificate in PEM form ({error}).") from error
    try:
        private = serialization.load_pem_private_key(_read(key), None)
    except TypeError as error:
        raise CertificateError(f"The key {key} has a password; save it without one.") from error
    except ValueError as error:
        raise CertificateError(f"{key} holds no private key in PEM form ({error}).") from error
    if _public(private) != found.public_key().public_bytes(*_SPKI):
        raise CertificateError(f"The key {key} belongs to another certificate than {certificate}.")
    if now > found.not_valid_after_utc:
        raise CertificateError(f"The certificate {certificate} expired on {found.not_valid_after_utc:%Y-%m-%d}.")
    if now < found.not_valid_before_utc:
        raise CertificateError(
            f"The certificate {certificate} holds from {found.not_valid_before_utc:%Y-%m-%d} on. Is the clock right?"
        )
    return Certificate(certificate, key, found.fingerprint(hashes.SHA256()).hex(), found.not_valid_after_utc)


_SPKI = (serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


def _public(private: PrivateKeyTypes) -> bytes:
    return private.public_key().public_bytes(*_SPKI)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UnreadableError(f"{path} cannot be read ({error.strerror or error}).") from error


def _make(certificate: Path, key: Path, now: datetime) -> None:
    """Raises OSError. The key is written first: a certificate without its key would look whole and serve nobody."""
    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "01")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SKEW)
        .not_valid_after(now + timedelta(days=365 * _YEARS))
        .add_extension(x509.SubjectAlternativeName(_names()), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(private, hashes.SHA256())
    )
    pem = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    write_whole(key, pem)
    write_whole(certificate, made.public_bytes(serialization.Encoding.PEM))


def _names() -> list[x509.GeneralName]:
    """Every name and address that this machine has now."""
    found: list[x509.GeneralName] = []
    for text in own_names():
        with contextlib.suppress(ValueError):  # a host name that no certificate can hold
            found.append(x509.DNSName(text))
    return found + [x509.IPAddress(address) for address in own_addresses()]
