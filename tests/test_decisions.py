"""Decisions have one form, and nothing in the repository refers to what lies outside it."""

from __future__ import annotations

import io
import re
import tokenize
from collections import Counter

import pytest

from tests.kit.repository import ROOT, name_of, tracked

DECISIONS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
HEAD = re.compile(r"# (\d{3}) \S.*\n\nDate: \d{4}-\d{2}-\d{2}\. Status: (accepted|replaced by (\d{3}))\.\n\n\S")

# Written in pieces, so that this file does not find itself.
ELSEWHERE = {
    "an issue of a tracker": r"\b[Ii]ssue" + r"s? #?\d|\bGH-\d",
    "a file beside the repository": r"\.\./sha" + r"red",
    "a document of somebody else's": r"\b(?:des" + r"ign|sty" + r"le|anch" + r"ors|ro" + r"oms)\.(?:md|json)\b",
    "a session": r"\b(?:this|last|next|earlier) ses" + r"sion\b",
}
DEFAULTS = {
    ("tests/kit/recordings.py", "a file beside the repository"): "the default of MATCHWIRE_RECORDINGS",
    ("tools/demo/make_demo.py", "a file beside the repository"): "where the public data of the demo's matches may lie",
    (".ci/run", "a file beside the repository"): "the default of MATCHWIRE_RECORDINGS",
}


def words_of(path):
    """What a file says in words: comments and strings of Python, the whole of anything else."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return text
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    strings = {tokenize.COMMENT, tokenize.STRING} | {getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    return "\n".join(token.string for token in tokens if token.type in strings)


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.name[:3])
def test_a_decision_has_number_date_and_status(path):
    """The number of the file is that of the title; what was replaced names its successor."""
    found = HEAD.match(path.read_text(encoding="utf-8"))

    assert found, "`# NNN Title`, then `Date: YYYY-MM-DD. Status: accepted.` or `replaced by NNN`"
    assert re.fullmatch(r"\d{3}-[a-z0-9-]+\.md", path.name)
    assert path.name[:3] == found[1]
    if found[3]:
        (successor,) = [other for other in DECISIONS if other.name.startswith(found[3])]
        assert HEAD.match(successor.read_text(encoding="utf-8"))
        assert found[3] > found[1]


def test_a_number_is_given_once():
    """Numbers are unique, so that a decision can be named by its own."""
    assert len(DECISIONS) > 20
    assert {number: n for number, n in Counter(path.name[:3] for path in DECISIONS).items() if n > 1} == {}


def test_each_decision_stands_in_the_index_once():
    """Under one topic, with its own title and what has replaced it."""
    index = (ROOT / "docs" / "decisions" / "README.md").read_text(encoding="utf-8")
    expected = []
    for path in DECISIONS:
        text = path.read_text(encoding="utf-8")
        title = text.partition("\n")[0].removeprefix(f"# {path.name[:3]} ")
        status = HEAD.match(text)[2]
        expected.append(f"- {path.name[:3]} [{title}]({path.name})" + (f", {status}" if status != "accepted" else ""))

    assert sorted(line for line in index.splitlines() if line.startswith("- ")) == expected


def test_decisions_that_are_referred_to_exist():
    """A number in another decision, and a path in any text, leads somewhere."""
    numbers = {path.name[:3] for path in DECISIONS}
    for path in DECISIONS:
        named = re.findall(
            r"(?:\((\d{3})\)|[Rr]eplace[sd](?: by)? (\d{3})|\b(?:see|as in) (\d{3})\b)", path.read_text("utf-8")
        )
        assert {number for each in named for number in each if number} <= numbers, path.name
    for path in tracked():
        if path.suffix in {".py", ".md", ".toml"}:
            for name in re.findall(r"docs/decisions/(\d{3}[\w-]*\.md)", path.read_text(encoding="utf-8")):
                assert (ROOT / "docs" / "decisions" / name).is_file(), (name_of(path), name)


def test_nothing_refers_to_what_lies_outside_the_repository():
    """Comments, docstrings and documents are understood with the repository alone; defaults of settings are listed."""
    files = [
        path
        for path in tracked()
        if path.suffix in {".py", ".md", ".toml", ".html", ""} and "api/docs" not in name_of(path)
    ]
    assert len(files) > 500
    found = {(name_of(path), what) for path in files for what in elsewhere(path)}

    assert found == DEFAULTS.keys()


def elsewhere(path):
    """What a file refers to that lies outside; comments and strings are looked up where its text has such a form at all."""
    text = path.read_text(encoding="utf-8")
    forms = {what: form for what, form in ELSEWHERE.items() if re.search(form, text)}
    words = words_of(path) if forms else ""
    return [what for what, form in forms.items() if re.search(form, words)]


@pytest.mark.parametrize("text", ["see issue" + " 14", "as des" + "ign.md says", "in ../sha" + "red/recordings"])
def test_a_reference_would_be_found(text):
    """The forms are those that such references have."""
    assert any(re.search(pattern, text) for pattern in ELSEWHERE.values())


def test_every_file_that_a_document_names_exists():
    """A path by itself, a bare name below a folder of the code; decisions that were replaced name what there was then."""
    modules = {path for path in map(name_of, tracked()) if path.endswith(".py")}
    names = {path.rpartition("/")[2] for path in modules}
    checked, missing = 0, []
    for path in tracked():
        text = path.read_text(encoding="utf-8") if path.suffix == ".md" and "api/docs" not in name_of(path) else ""
        if "Status: replaced" in text:
            continue
        for named in re.findall(r"`([\w./-]+\.py)(?:::\w+)?`", text):
            checked += 1
            if named not in (modules if "/" in named else names):
                missing.append((name_of(path), named))

    assert checked > 100
    assert missing == []
