"""What is wrong with a folder, its certificate or its signature, in exactly these words."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from shoal.certify import Certificate, Claim, Findings, folder, sha256_of, verify
from shoal.certify.against import against
from shoal.certify.folder import check_folder, check_listed, unsafe_entries
from shoal.certify.signature import is_signature, new_key, sign
from shoal.certify.signed import check_signature
from shoal.errors import ParameterError, TableError
from tests.certify import forgeries, releases


def told(failures) -> list[tuple[object, ...]]:
    return [(one.check, one.column, one.message, one.groups, one.records) for one in failures]


# -- folders -----------------------------------------------------------------------------------------------------


def test_a_folder_is_told_by_what_it_lacks_has_too_much_of_and_has_changed(tmp_path):
    for name in ("a", "b", "certificate.json", "certificate.sig", "x", "y", "z"):
        (tmp_path / name).write_text(name)
    digest = {name: sha256_of(tmp_path / name) for name in ("a", "b")}
    listed = digest | {"b": "0" * 64, "gone": "0" * 64}
    found, failures = check_folder(tmp_path, listed)
    assert found == digest
    assert told(failures) == [
        ("folder", None, "the folder holds what its certificate does not list: 'x', 'y', 'z'", 0, 0),
        ("folder", None, "the folder lacks what its certificate lists: 'gone'", 0, 0),
        (
            "folder",
            None,
            "the folder holds files that are not the certified ones: their SHA-256 is another: 'b'",
            0,
            0,
        ),
    ]
    (tmp_path / "more").write_text("")
    told_of = "the folder holds what its certificate does not list: 'more', 'x', 'y' and 1 more"
    assert check_folder(tmp_path, digest)[1][0].message == told_of


def test_files_beside_a_table_are_read_up_to_a_size(tmp_path, monkeypatch):
    (tmp_path / "a").write_text("12345")
    (tmp_path / "release.csv").write_text("123456")
    listed = {name: sha256_of(tmp_path / name) for name in ("a", "release.csv")}
    monkeypatch.setattr(folder, "MOST_BESIDE", 5)
    assert check_folder(tmp_path, listed) == (listed, [])
    monkeypatch.setattr(folder, "MOST_BESIDE", 4)
    found, failures = check_folder(tmp_path, listed)
    assert found == {"release.csv": listed["release.csv"]}
    assert [one.message.rpartition(" ")[2] for one in failures] == ["'a'"]


def test_what_is_no_regular_file_is_told_without_opening_it(tmp_path):
    assert unsafe_entries(tmp_path) == []
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    assert told(unsafe_entries(tmp_path)) == [
        ("folder", None, "the folder holds what is no regular file: 'link'", 0, 0)
    ]


def test_files_beside_a_certificate_elsewhere_are_those_it_lists(tmp_path):
    (tmp_path / "a").write_text("a")
    listed = {"release.csv": "0" * 64, "a": sha256_of(tmp_path / "a")}
    assert check_listed(tmp_path, listed) == []
    message = "the folder lacks files that its certificate lists, or holds others: 'a', 'gone'"
    (tmp_path / "gone").symlink_to(tmp_path / "a")
    assert told(check_listed(tmp_path, listed | {"a": "0" * 64, "gone": listed["a"]})) == [
        ("folder", None, message, 0, 0)
    ]


# -- a certificate against counts --------------------------------------------------------------------------------

K = Claim(criterion="k-anonymity", claimed=3, measured=4, unit="rows", holds=True)
L = Claim(criterion="l-diversity", column="s", kind="distinct", claimed=2, measured=2.5, unit="rows", holds=True)
COUNTED = Findings(form="generalize", unit="rows", rows=12, groups=4, claims=(L, K))


def certificate(**changes: object) -> Certificate:
    given = Certificate(
        claims=(K, L), form="generalize", rows=12, n_groups=4, suppressed=0, method="mdav", objective="sse",
        ratio_proved=None, theorem=None, published_sha256="a", policy={},
    )  # fmt: skip
    return replace(given, **changes)


@pytest.mark.parametrize(
    ("changes", "column", "message"),
    [
        ({"rows": 13}, None, "the certificate speaks of 13 rows; the file has 12"),
        ({"n_groups": 5}, None, "the certificate speaks of 5 groups; the file has 4"),
        ({"published_sha256": "b"}, None, "the file is not the one that was certified: its SHA-256 is another"),
        (
            {"claims": (replace(K, unit="people"), L)},
            None,
            "the certificate counts people for k-anonymity; in the file they are rows",
        ),
        ({"claims": (K, replace(L, holds=False))}, "s", "the certificate says that l-diversity of s does not hold, "
         "and it does"),
        ({"claims": (K, replace(L, measured=2.6))}, "s", "the certificate says 2.6 for l-diversity of s; the file "
         "has 2.5"),
        ({"claims": (K, replace(L, measured=float("nan")))}, "s", "the certificate says nan for l-diversity of s; "
         "the file has 2.5"),
        ({"claims": (L, K)}, None, "the certificate's claims are not those of its policy, each once and in order"),
        ({"claims": (K, K, L)}, None, "the certificate's claims are not those of its policy, each once and in order"),
        ({"claims": (K,)}, "s", "the certificate's claims and its policy do not agree on l-diversity of s"),
        ({"claims": (K, replace(L, claimed=1))}, "s", "the certificate's claims and its policy do not agree on "
         "l-diversity of s"),
        ({"claims": (K, replace(L, kind="entropy"))}, "s", "the certificate's claims and its policy do not agree on "
         "l-diversity of s"),
        ({"claims": (K, replace(L, c=1.0))}, "s", "the certificate's claims and its policy do not agree on "
         "l-diversity of s"),
        ({"claims": (K, L, replace(L, column="u"))}, "u", "the certificate's claims and its policy do not agree on "
         "l-diversity of u"),
    ],
)  # fmt: skip
def test_what_a_certificate_says_and_is_not_so(changes, column, message):
    assert against(certificate(), "a", COUNTED) == []
    assert told(against(certificate(**changes), "a", COUNTED)) == [("certificate", column, message, 0, 12)]


@pytest.mark.parametrize(("off", "good"), [(1.9e-9, True), (2.1e-9, False)])
def test_measures_agree_up_to_the_decimals_that_are_written(off, good):
    close = Findings(form="generalize", unit="rows", rows=12, groups=4, claims=(replace(L, measured=0.5), K))
    changed = certificate(claims=(K, replace(L, measured=0.5 - off)))
    assert (against(changed, "a", close) == []) is good
    large = replace(close, claims=(replace(L, measured=1000.0), K))
    changed = certificate(claims=(K, replace(L, measured=1000.0 - 1000 * off)))
    assert (against(changed, "a", large) == []) is good


def test_a_file_that_cannot_be_counted_is_held_against_its_digest_alone():
    assert against(certificate(rows=99), "a", None) == []
    assert against(certificate(rows=99), None, None) == []
    assert told(against(certificate(), "b", None)) == [
        ("certificate", None, "the file is not the one that was certified: its SHA-256 is another", 0, 0)
    ]


# -- verify ------------------------------------------------------------------------------------------------------


@pytest.fixture
def release(tmp_path) -> Path:
    return forgeries.written(tmp_path / "out")


def test_the_folder_of_an_honest_release_is_found_as_it_was_written(release):
    found = verify(release.parent)
    assert found.holds
    assert found.form == "generalize"
    assert found.sha256 == sha256_of(release)
    assert found.files == {
        name: sha256_of(release.parent / name)
        for name in ("release.csv", "legend.json", "levels.csv", "region.map.csv")
    }
    assert found.signature is None


def test_a_folder_with_a_link_is_not_opened(release):
    (release.parent / "more").symlink_to(release)
    found = verify(release, form="suppress")
    assert told(found.failures) == [("folder", None, "the folder holds what is no regular file: 'more'", 0, 0)]
    assert (found.form, found.unit, found.rows) == ("suppress", "rows", 0)
    assert verify(release).form == "unknown"


def test_without_a_policy_and_a_certificate_there_is_nothing_to_hold_against(tmp_path):
    releases.release().write_csv(tmp_path / "r.csv")
    with pytest.raises(ParameterError) as raised:
        verify(tmp_path / "r.csv")
    assert raised.value.message == "there is no policy, and no certificate.json beside the release."
    assert raised.value.hint == "give the policy.toml or the certificate.json of the release."


def test_a_folder_with_two_tables_is_not_a_release(release):
    shutil.copy(release, release.with_name("release.parquet"))
    for folder_ in (release.parent, str(release.parent)):
        with pytest.raises(ParameterError) as raised:
            verify(folder_)
        assert raised.value.message == (
            "the folder out holds 2 files named release.csv, release.parquet, release.arrow or release.xlsx."
        )
        assert raised.value.hint == "give the released file itself."


def test_certificates_that_cannot_be_read_are_told(release, tmp_path):
    cases = {
        "gone.json": (None, "the certificate gone.json is not there.", "check the path."),
        "latin.json": (b"\xff", "the certificate latin.json is not UTF-8 text.", "copy it again."),
    }
    for name, (data, message, hint) in cases.items():
        if data is not None:
            (tmp_path / name).write_bytes(data)
        with pytest.raises(ParameterError) as raised:
            verify(release, tmp_path / name)
        assert (raised.value.message, raised.value.hint) == (message, hint)


def test_the_private_half_beside_a_release_is_told(tmp_path):
    path, certificate_ = releases.written(tmp_path, releases.release(), releases.policy())
    (tmp_path / "certificate.json").write_text(certificate_.to_private_json(), encoding="utf-8")
    with pytest.raises(ParameterError) as raised:
        verify(path)
    assert raised.value.message == (
        "the certificate.json beside the release is the private half, which is not published."
    )
    assert raised.value.hint == "publish the folder as it was written."
    message = "the certificate.json beside the release is the private half, which is not published"
    assert told(verify(path, releases.policy()).failures) == [("certificate", None, message, 0, 0)]


def test_the_private_half_given_from_home_is_held_against_the_table(tmp_path):
    path, certificate_ = releases.written(tmp_path, releases.release(), releases.policy())
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "private.json").write_text(certificate_.to_private_json(), encoding="utf-8")
    shutil.copy(path, tmp_path / "home" / "table.csv")
    assert verify(tmp_path / "home" / "table.csv", tmp_path / "home" / "private.json").holds


def test_what_fails_by_the_certificates_own_policy_is_told_besides(tmp_path):
    frame = releases.release()
    path, _ = releases.written(tmp_path, frame, releases.policy())
    file = tmp_path / "certificate.json"
    found = json.loads(file.read_text())
    found["policy"]["k"] = 4
    found["claims"][0]["claimed"] = 4
    file.write_text(json.dumps(found))
    miss = "k-anonymity: 4 of 4 groups (12 records) miss 4; the worst has 3"
    messages = [
        ("certificate", None, "the certificate says that k-anonymity holds, and it does not", 0, 12),
        ("certificate", None, f"by the certificate's own policy, {miss}", 0, 0),
    ]
    assert told(verify(path, releases.policy()).failures) == messages
    assert told(verify(path).failures) == [messages[0], ("k-anonymity", None, miss, 4, 12)]


def test_a_certificate_of_another_form_is_told(tmp_path):
    frame, asked = releases.release(), releases.policy(publication="suppress")
    path, _ = releases.written(tmp_path, frame, asked, "suppress")
    assert verify(path).holds
    assert verify(path, asked).holds
    other = ("certificate", None, "the certificate speaks of another form", 0, 0)
    assert other in told(verify(path, releases.policy(publication="generalize")).failures)
    assert other in told(verify(path, form="generalize").failures)
    assert verify(path, releases.policy(publication="generalize"), form="suppress").holds


def test_a_damaged_table_is_held_against_its_digest(tmp_path):
    path, _ = releases.written(tmp_path, releases.release(), releases.policy())
    path.write_bytes(b'"')
    found = verify(path)
    assert (found.form, found.unit, found.rows) == ("generalize", "rows", 0)
    assert [one.check for one in found.failures] == ["file", "folder", "certificate"]
    assert found.failures[0].message.startswith("the file cannot be read: ")
    assert not found.failures[0].message.endswith(".")
    assert found.sha256 == sha256_of(path)


def test_a_legend_that_the_policy_asks_for_is_looked_for_beside_the_certificate(release, tmp_path):
    shutil.copy(release, tmp_path / "table.csv")
    assert verify(tmp_path / "table.csv", release.parent / "certificate.json").holds
    own = forgeries.policy(release.parent)
    message = "legend.json is not beside the release, or cannot be read"
    assert ("legend", None, message, 0, 0) in told(verify(tmp_path / "table.csv", own).failures)
    assert verify(pl.read_csv(release), own).holds  # a frame has no folder


# -- signatures --------------------------------------------------------------------------------------------------


def test_a_signature_is_one_line_of_64_bytes():
    line = b"A" * 86 + b"==\n"
    assert is_signature(line)
    for odd in (line[:-1], line + b"\n", b"A" * 87 + b"=\n", b"A" * 85 + b"B==\n", b"-" * 86 + b"==\n", b""):
        assert not is_signature(odd)


def test_what_a_signature_is_worth(tmp_path):
    key, text = tmp_path / "a.key", b"certificate"
    public, other = new_key(key), new_key(tmp_path / "b.key")
    assert public == tmp_path / "a.key.pub"
    assert (key.stat().st_mode & 0o777, public.stat().st_mode & 0o777) == (0o600, 0o644)
    path = tmp_path / "certificate.sig"
    assert check_signature(path, text, None) == (None, [])
    signature, failures = check_signature(path, text, public)
    assert signature is None
    assert told(failures) == [("signature", None, "the certificate is not signed", 0, 0)]
    path.write_bytes(sign(text, key))
    assert check_signature(path, text, None) == ("not checked", [])
    assert check_signature(path, text, public) == ("valid", [])
    changed = "the certificate is not signed by the holder of this key, or was changed since"
    for certificate_, by in ((text + b" ", public), (text, other)):
        signature, failures = check_signature(path, certificate_, by)
        assert signature is None
        assert told(failures) == [("signature", None, changed, 0, 0)]
    for data, message in ((b"x", "is not a signature"), (b"A" * 1025, "is larger than 0 MiB")):
        path.write_bytes(data)
        signature, failures = check_signature(path, text, public)
        assert signature is None
        assert told(failures) == [("signature", None, f"certificate.sig {message}", 0, 0)]
    path.write_bytes(b"A" * 1024)
    assert check_signature(path, text, None)[1][0].message == "certificate.sig is not a signature"


def test_keys_are_told_by_their_names_alone(tmp_path):
    key = tmp_path / "a.key"
    public = new_key(key)
    text = "`shoal keygen KEY` writes KEY and KEY.pub; a {} key is needed here."
    with pytest.raises(ParameterError) as raised:
        sign(b"", public)
    assert raised.value.message == "a.key.pub is not a private Ed25519 key without a password."
    assert raised.value.hint == text.format("private")
    with pytest.raises(ParameterError) as raised:
        sign(b"", tmp_path / "gone")
    assert raised.value.message == "the key gone is not there."
    path = tmp_path / "certificate.sig"
    path.write_bytes(sign(b"", key))
    with pytest.raises(ParameterError) as raised:
        check_signature(path, b"", key)
    assert raised.value.message == "a.key is not a public Ed25519 key without a password."
    assert raised.value.hint == text.format("public")
    (tmp_path / "link.pub").symlink_to(public)
    assert check_signature(path, b"", tmp_path / "link.pub") == ("valid", [])
    with pytest.raises(TableError) as written:
        new_key(key)
    assert written.value.message == "a.key exists already."
    assert written.value.hint == "choose another name: a key is never overwritten."
    with pytest.raises(TableError) as written:
        new_key(tmp_path / "none" / "b.key")
    assert written.value.message == "b.key cannot be written (No such file or directory)."
    assert written.value.hint == "check the folder."
    (tmp_path / "c.key.pub").write_text("")
    with pytest.raises(TableError, match=r"^c\.key\.pub exists already"):
        new_key(tmp_path / "c.key")
    assert not (tmp_path / "c.key").exists()


def test_a_release_without_a_certificate_has_no_signature_to_check(tmp_path):
    public = new_key(tmp_path / "a.key")
    releases.release().write_csv(tmp_path / "r.csv")
    found = verify(tmp_path / "r.csv", releases.policy(), key=public)
    assert told(found.failures) == [("signature", None, "there is no signed certificate beside the release", 0, 0)]
