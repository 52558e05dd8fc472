"""Signed certificates: who stands for a release, and that nothing was changed since."""

from __future__ import annotations

import json
import stat
import sys

import pytest

from shoal.certify import signature, verify
from shoal.errors import EngineError, ParameterError, TableError
from tests.certify import releases


@pytest.fixture
def keys(tmp_path):
    return tmp_path / "steward.key", signature.new_key(tmp_path / "steward.key")


@pytest.fixture
def signed(tmp_path, keys):
    out = tmp_path / "out"
    out.mkdir()
    path, _ = releases.written(out, releases.release(), releases.policy())
    (out / "certificate.sig").write_bytes(signature.sign((out / "certificate.json").read_bytes(), keys[0]))
    return path


def told(findings) -> list[str]:
    return [failure.message for failure in findings.failures if failure.check == "signature"]


def test_a_signed_release_holds_by_its_key(signed, keys):
    findings = verify(signed, key=keys[1])
    assert findings.holds
    assert findings.signature == "valid"
    assert verify(signed.parent, releases.policy(), key=str(keys[1])).signature == "valid"


def test_without_a_key_a_signature_is_there_and_not_checked(signed):
    findings = verify(signed)
    assert findings.holds
    assert findings.signature == "not checked"
    assert "signature: not checked" in str(findings)


def test_a_release_without_a_signature_does_not_hold_by_a_key(signed, keys):
    (signed.parent / "certificate.sig").unlink()
    assert verify(signed).signature is None
    assert told(verify(signed, key=keys[1])) == ["the certificate is not signed"]


def test_another_key_is_not_the_signers(signed, keys, tmp_path):
    other = signature.new_key(tmp_path / "other.key")
    assert told(verify(signed, key=other)) == [
        "the certificate is not signed by the holder of this key, or was changed since"
    ]


def test_a_certificate_that_means_the_same_is_still_another_text(signed, keys):
    """The bytes are signed: whoever writes them anew has not signed them."""
    file = signed.parent / "certificate.json"
    file.write_text(json.dumps(json.loads(file.read_text())))
    assert verify(signed).holds
    assert not verify(signed, key=keys[1]).holds


def test_the_publishers_word_is_bound_by_the_signature(signed, keys):
    """That 1 record was suppressed cannot be counted; that the signer says so can be checked."""
    file = signed.parent / "certificate.json"
    file.write_text(file.read_text().replace('"suppressed": 1', '"suppressed": 0'))
    assert verify(signed).holds
    assert not verify(signed, key=keys[1]).holds


def test_an_altered_table_is_refused_although_the_signature_is_valid(signed, keys):
    signed.write_bytes(signed.read_bytes().replace(b"\n40,B,flu,9\n", b"\n40,B,flu,8\n"))
    findings = verify(signed, key=keys[1])
    assert findings.signature == "valid"
    assert {failure.check for failure in findings.failures} == {"folder", "certificate"}


def test_a_signature_of_the_bare_bytes_is_none(signed, keys):
    """What is signed begins with words of its own, so that nothing signed for another purpose can be used here."""
    from base64 import b64encode

    bare = signature.private_key(keys[0]).sign((signed.parent / "certificate.json").read_bytes())
    (signed.parent / "certificate.sig").write_bytes(b64encode(bare) + b"\n")
    assert not verify(signed, key=keys[1]).holds


@pytest.mark.parametrize(
    "odd", [b"", b"Meyer, Anna\n", b"A" * 88 + b"\n", b"A" * 86 + b"==\nMeyer\n", b"A" * 85 + b"B==\n"]
)
def test_a_file_that_is_no_signature_is_refused_without_a_key_too(signed, odd):
    (signed.parent / "certificate.sig").write_bytes(odd)
    assert told(verify(signed)) == ["certificate.sig is not a signature"]


def test_a_lone_file_and_a_frame_have_no_signature(tmp_path, keys):
    releases.release().write_csv(tmp_path / "alone.csv")
    for released in (tmp_path / "alone.csv", releases.release()):
        findings = verify(released, releases.policy(), key=keys[1])
        assert told(findings) == ["there is no signed certificate beside the release"]


def test_the_private_key_is_its_owners_alone_and_nothing_is_overwritten(tmp_path, keys):
    assert stat.S_IMODE(keys[0].stat().st_mode) == 0o600
    before = keys[0].read_bytes(), keys[1].read_bytes()
    with pytest.raises(TableError, match=r"steward\.key exists already"):
        signature.new_key(keys[0])
    keys[0].unlink()
    with pytest.raises(TableError, match=r"steward\.key\.pub exists already"):
        signature.new_key(keys[0])
    assert not keys[0].exists()
    assert keys[1].read_bytes() == before[1]


def test_a_key_is_not_written_through_a_link(tmp_path):
    (tmp_path / "link.key").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(TableError, match="exists already"):
        signature.new_key(tmp_path / "link.key")
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_that_is_no_key_is_told_in_a_sentence(signed, keys, tmp_path):
    (tmp_path / "no.key").write_text("secret")
    for odd in (tmp_path / "no.key", keys[0], tmp_path, tmp_path / "absent.pub"):
        with pytest.raises(ParameterError) as raised:
            verify(signed, key=odd)
        assert "secret" not in str(raised.value)
    with pytest.raises(ParameterError, match="private Ed25519 key"):
        signature.sign(b"", keys[1])


def test_without_the_package_one_sentence_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric", None)
    with pytest.raises(EngineError, match="cryptography") as raised:
        signature.new_key(tmp_path / "a.key")
    assert raised.value.hint == "pip install 'shoal[sign]'."
    assert not (tmp_path / "a.key").exists()
