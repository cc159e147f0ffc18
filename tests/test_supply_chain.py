"""What is installed is what was locked, no secret is committed, and some kinds of danger are not in the code at all."""

from __future__ import annotations

import ast
import base64
import inspect
import re
import subprocess
import tomllib

import pytest

from api.middleware import credentials
from ingest.cli import clients as cli_clients
from store.webhooks import webhooks
from tests.kit.repository import ROOT, TEXT, everywhere, name_of, reading, tracked

HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}\b")
LOCKS = ("requirements.lock", "requirements-test.lock")
NAME = re.compile(r"([A-Za-z0-9._-]+)==\S+")

# Written in pieces, so that this file does not find itself.
KEYS = {
    "a key of a cloud": r"\b(?:AK" + r"IA|AS" + r"IA)[0-9A-Z]{16}\b",
    "a token of a code host": r"\b(?:gh" + r"[pousr]_[A-Za-z0-9]{36}|glp" + r"at-[\w-]{20})",
    "a token of a chat": r"\bxo" + r"x[abprs]-[0-9A-Za-z-]{10,}",
    "a key of a payment service": r"\bsk_" + r"live_[0-9A-Za-z]{16,}",
    "a web token": r"\bey" + r"J[\w-]{10,}\.ey" + r"J[\w-]{10,}\.[\w-]{10,}",
    "a private key": "-----BEGIN [A-Z ]*PRIVATE" + " KEY",
}
READERS_OF_XML = {"fromstring", "fromstringlist", "XML", "XMLID", "parse", "iterparse", "XMLParser", "XMLPullParser"}
MODULES_OF_XML = {"lxml", "xml.sax", "xml.dom", "xml.parsers", "xmlrpc", "defusedxml", "bs4"}


def requirements(lock):
    """The logical lines of a lock, one for each package, with its hashes."""
    text = (ROOT / lock).read_text(encoding="utf-8")
    logical = re.sub(r"\\\n\s*", " ", text).splitlines()
    return [line for line in logical if line and not line.startswith("#")]


def on_all_platforms(line):
    """A line without the platforms that the package is needed on."""
    return re.sub(r" ; .*?(?=  --hash)", "", line)


def pip_calls(target):
    """The calls of pip by which `make` would make `target` anew."""
    printed = subprocess.run(
        ["make", "--no-print-directory", "-n", "-B", target], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    installs = [line for line in printed.replace("\\\n", " ").splitlines() if re.search(r"\binstall\b", line)]
    return [line for line in installs if " -m pip " in line]


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_has_hashes(lock):
    """Not one line of a lock names a package without the digests of its files, an address or another file."""
    lines = requirements(lock)
    assert len(lines) > 50
    assert [line for line in lines if not NAME.match(line) or not HASH.search(line)] == []


def test_what_is_made_installs_nothing_without_hashes():
    """`make` gives pip locks with their hashes, and beside them this project alone, without dependencies or a download."""
    run, project, test = pip_calls(".venv/.ready-to-test")

    assert "--require-hashes -r requirements.lock" in run
    assert "--no-deps --no-build-isolation --editable ." in project
    assert "--require-hashes -r requirements-test.lock" in test


def test_what_runs_is_installed_without_what_tests():
    """`make run` installs no linter, no test runner and no browser driver."""
    run, project = pip_calls(".venv/.ready")
    names = {NAME.match(line)[1] for line in requirements("requirements.lock")}

    assert "-r requirements.lock" in run
    assert "--editable ." in project
    assert names.isdisjoint({"fastapi", "hypothesis", "mypy", "playwright", "pytest", "ruff", "schemathesis"})


def test_both_locks_come_from_one_resolution():
    """What runs is tested in the same versions, so either lock may be installed first; tests may need some everywhere."""
    tests = set(requirements("requirements-test.lock"))
    missing = [line for line in requirements("requirements.lock") if not tests & {line, on_all_platforms(line)}]

    assert missing == []
    assert len(tests) > len(requirements("requirements.lock"))


def test_no_file_holds_a_key():
    """Keys of well-known services and private keys have forms that nothing else has."""
    files = [path for path in tracked() if path.suffix in TEXT]
    found = {
        (name_of(path), what)
        for path in files
        for what, form in KEYS.items()
        if re.search(form, path.read_text(encoding="utf-8", errors="replace"))
    }

    assert found == set()


@pytest.mark.parametrize(
    "sample", ["AK" + "IA" + "A" * 16, "gh" + "p_" + "a" * 36, "xo" + "xb-1234567890", "sk_" + "live_" + "1" * 20]
)
def test_a_key_would_be_found(sample):
    """The forms are those that keys have."""
    assert any(re.search(form, f'token = "{sample}"') for form in KEYS.values())


READS_XML = {("providers/xml_reader.py", "xml.parsers"), ("providers/xml_reader.py", "xml.parsers.expat")}
"""The one place that reads XML, with a parser that refuses document types (tests/providers/test_xml_reader.py)."""


def test_no_xml_is_read():
    """There is no parser that a document type, an entity or an address in XML could reach but the one that refuses them."""
    readers = {
        (name_of(path), name)
        for path in everywhere()
        for name in _drawn_from_xml(reading(path))
        if name in READERS_OF_XML or any(name == each or name.startswith(f"{each}.") for each in MODULES_OF_XML)
    }

    assert readers == READS_XML


def _drawn_from_xml(file):
    """Names of modules that a file imports, and of what it takes from ElementTree."""
    for node in file.imports:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
            continue
        yield node.module or ""
        if (node.module or "").startswith("xml"):
            yield from (alias.name for alias in node.names)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
    yield from (name.partition(".")[2] for name in file.used if name.startswith(("ET.", "ElementTree.")))


def test_security_rules_of_the_linter_hold_for_all_that_is_shipped():
    """Every rule is on, those on security are ignored for tests and benchmarks alone, and no finding on SQL is silenced
    but that of a migration, which names its own tables."""
    lint = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]["lint"]
    silenced = {
        name_of(path) for path in everywhere() if re.search(r"noqa: [^\n]*S608", path.read_text(encoding="utf-8"))
    }

    assert lint["select"] == ["ALL"]
    assert not [rule for rule in lint["ignore"] if re.fullmatch(r"S\d*", rule)]
    assert {where for where, rules in lint["per-file-ignores"].items() if "S" in rules} == {"tests/**", "bench/**"}
    assert {name for name in silenced if not name.startswith("store/migrations/versions/")} == set()


def test_secrets_that_are_made_have_256_bits():
    """Those of clients and those of subscriptions: 32 bytes, none like another."""
    texts = [cli_clients._new_secret() + "=" for _ in range(100)]
    made = [base64.urlsafe_b64decode(text) for text in texts]
    made += [base64.b64decode(webhooks.new_secret().removeprefix("whsec_")) for _ in range(100)]

    assert {len(secret) for secret in made} == {32}
    assert len(set(made)) == 200


def test_secrets_are_compared_in_constant_time():
    """No digest meets `==`: each live one is compared whole, and as many comparisons are made for a client that is unknown."""
    tree = ast.parse(inspect.getsource(credentials.opens))
    compared = [node for node in ast.walk(tree) if isinstance(node, ast.Compare)]

    assert "hmac.compare_digest" in {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert {ast.unparse(node) for node in compared} == {"secret != ''"}
