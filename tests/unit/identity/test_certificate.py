"""The server's certificate: made once, kept, private, and errors that say what is wrong with one's own."""

from __future__ import annotations

import hashlib
import ssl
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from zero_one.identity.certificate import Certificate, CertificateError, given_certificate, own_certificate


def der(certificate: Certificate) -> bytes:
    return ssl.PEM_cert_to_DER_cert(certificate.certificate.read_text())


def test_it_is_made_once_and_its_fingerprint_is_that_of_its_bytes(tmp_path: Path) -> None:
    first = own_certificate(tmp_path / "identity")
    again = own_certificate(tmp_path / "identity")
    assert (first.fresh, again.fresh) == (True, False)
    assert again.fingerprint == first.fingerprint == hashlib.sha256(der(first)).hexdigest()
    assert first.key.stat().st_mode & 0o077 == 0
    assert first.certificate.parent.stat().st_mode & 0o077 == 0
    assert first.expires > datetime.now(UTC) + timedelta(days=3600)
    assert first.context().minimum_version is ssl.TLSVersion.TLSv1_2


def test_it_names_this_machine_and_is_no_authority(tmp_path: Path) -> None:
    made = x509.load_der_x509_certificate(der(own_certificate(tmp_path)))
    names = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert "localhost" in names.get_values_for_type(x509.DNSName)
    assert any(name.endswith(".local") for name in names.get_values_for_type(x509.DNSName))
    assert {str(a) for a in names.get_values_for_type(x509.IPAddress)} >= {"127.0.0.1", "::1"}
    assert not made.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert isinstance(made.public_key(), ec.EllipticCurvePublicKey)


def test_an_expired_one_is_made_anew_and_the_old_one_kept(tmp_path: Path) -> None:
    first = own_certificate(tmp_path)
    later = own_certificate(tmp_path, now=first.expires + timedelta(days=1))
    assert later.fresh
    assert later.fingerprint != first.fingerprint
    assert len(list(tmp_path.glob("*.damaged-*"))) == 2


def test_cut_at_any_byte_it_is_set_aside_and_a_new_pair_fits(tmp_path: Path) -> None:
    for name in ("certificate.pem", "key.pem"):
        own_certificate(tmp_path)
        whole = (tmp_path / name).read_bytes()
        for cut in range(0, len(whole) - 1, 61):
            (tmp_path / name).write_bytes(whole[:cut])
            assert own_certificate(tmp_path).fresh
            own_certificate(tmp_path).context()
            whole = (tmp_path / name).read_bytes()


def test_a_key_without_its_certificate_as_after_a_crash_in_between(tmp_path: Path) -> None:
    own_certificate(tmp_path)
    (tmp_path / "certificate.pem").unlink()
    own_certificate(tmp_path).context()


MAKE = """
import sys
from pathlib import Path
from zero_one.identity.certificate import own_certificate
sys.stdin.readline()
print(own_certificate(Path(sys.argv[1])).fingerprint)
"""


def test_processes_that_start_at_once_agree(tmp_path: Path) -> None:
    """``01 pair`` and the server on a first day: the code must name the certificate that the server shows."""
    command = [sys.executable, "-c", MAKE, str(tmp_path / "identity")]
    together = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) for _ in range(3)
    ]
    for process in together:
        assert process.stdin is not None
        process.stdin.write("\n")
    answers = [process.communicate(timeout=100)[0] for process in together]
    assert all(len(answer.strip()) == 64 for answer in answers)
    assert len(set(answers)) == 1


def test_what_is_wrong_with_ones_own_is_said(tmp_path: Path) -> None:
    one, two = own_certificate(tmp_path / "one"), own_certificate(tmp_path / "two")
    assert given_certificate(one.certificate, one.key).fingerprint == one.fingerprint
    other_key = tmp_path / "protected.pem"
    other_key.write_bytes(
        ec.generate_private_key(ec.SECP256R1()).private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(b"secret"),
        )
    )
    (tmp_path / "text").write_text("no certificate")
    for certificate, key, words in (
        (one.certificate, two.key, "belongs to another certificate"),
        (tmp_path / "missing.pem", one.key, "missing.pem cannot be read"),
        (one.certificate, tmp_path / "missing.pem", "missing.pem cannot be read"),
        (tmp_path / "text", one.key, "no certificate in PEM form"),
        (one.certificate, tmp_path / "text", "no private key in PEM form"),
        (one.certificate, other_key, "has a password"),
        (one.key, one.key, "no certificate in PEM form"),
    ):
        with pytest.raises(CertificateError, match=words):
            given_certificate(certificate, key)
    with pytest.raises(CertificateError, match="expired on 20"):
        given_certificate(one.certificate, one.key, now=one.expires + timedelta(days=1))
    with pytest.raises(CertificateError, match="Is the clock right"):
        given_certificate(one.certificate, one.key, now=one.expires - timedelta(days=4000))
