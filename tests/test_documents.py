"""Every command that a document prints is played by a test, or is one that no test can play, with the reason."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import re
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest
import structlog

from ingest.cli.main import app
from tests.kit.blocks import blocks_of, commands, inline
from tests.kit.repository import tracked
from tests.kit.typed import MissingArgument, line_fault

ROOT = Path(__file__).resolve().parents[1]
HISTORY = ("CHANGELOG.md", "docs/decisions/")
"""What was so once."""
FIRST_STEPS = "tests/ingest/cli/test_first_steps.py::test_readme_runs_as_it_is_printed"
FIRST_LIVEBLOG = "tests/ingest/cli/test_demo.py::test_the_first_liveblog_is_made_as_readme_prints_it"
PAGES = "tests/ingest/cli/test_pages_played.py::test_the_pages_of_newsrooms_and_integrators_run_as_they_are_printed"
KEPT = "tests/ingest/cli/test_pages_played.py::test_what_an_operator_does_later_runs_as_it_is_printed"
PROVIDERS = "tests/ingest/cli/test_pages_played.py::test_a_provider_author_begins_as_it_is_printed"
PLAYED = {
    ("docs/add-a-provider.md", "0. See one at work"): PROVIDERS,
    ("docs/first-steps.md", "Run it on your own contract"): FIRST_STEPS,
    ("README.md", "Your first liveblog, without a contract"): FIRST_LIVEBLOG,
    ("docs/for-newsrooms.md", "Begin"): PAGES,
    ("docs/for-newsrooms.md", "Write, correct, take back"): PAGES,
    ("docs/for-integrators.md", "Begin"): PAGES,
    ("docs/for-integrators.md", "Create without creating twice"): PAGES,
    ("docs/for-integrators.md", "Hear of every change"): PAGES,
    ("docs/for-integrators.md", "Read"): PAGES,
    ("docs/for-operators.md", "Begin"): PAGES,
    ("docs/for-operators.md", "Install"): KEPT,
    ("docs/for-operators.md", "Back up"): KEPT,
    ("docs/for-operators.md", "Watch"): KEPT,
    ("docs/for-operators.md", "With PostgreSQL, one API and two workers"): (
        "tests/deploy/test_container_played.py::test_the_image_and_the_services_work"
    ),
}
"""Headings whose commands a test plays, all of them."""
NOT_PLAYED = {
    ("README.md", "See it in two minutes"): "tests/ingest/cli/test_demo.py starts the demo that it makes",
    ("README.md", "Where to go on"): "these commands are the tests",
    ("CONTRIBUTING.md", "Contributing"): "these commands are the tests",
    (
        "docs/for-operators.md",
        "As a container",
    ): "needs an engine; tests/deploy/test_container_played.py plays the steps",
    (
        "docs/running.md",
        "User, folders, unit",
    ): "needs root and systemd; tests/deploy/test_systemd.py verifies the unit",
    ("docs/performance.md", "Measure"): "an hour; tests/test_bench.py runs them with tiny sizes, and compares",
    ("docs/performance.md", "Images"): "needs root, and is about the machine",
    ("docs/running.md", "Backups"): "the same as in docs/for-operators.md, with placeholders",
    ("docs/running.md", "Moving an organization"): "with placeholders; tests/scenarios/crash/test_moving.py",
    ("docs/running.md", "Upgrades and downgrades"): "with placeholders; tests/scenarios/crash/test_rolling_upgrade.py",
    ("docs/running.md", "Doctor"): "the same as in docs/for-operators.md, with placeholders",
    ("docs/for-newsrooms.md", "Sign in"): "the password is prompted for; tests/ingest/cli/test_cli_accounts.py",
    (
        "docs/sources.md",
        "Giving a liveblog a standby",
    ): "needs two contracts; tests/scenarios/imports/test_several_sources_day.py",
    ("docs/readers.md", "Comments"): "tests/ingest/cli/test_cli_comments.py",
    ("docs/readers.md", "Polls and quizzes"): "tests/ingest/cli/test_cli_polls.py",
    ("docs/readers.md", "Sign in your own readers"): "openssl makes a random text",
    ("docs/add-a-provider.md", "4. Keep the contract"): "a package of somebody else's index",
    (
        "docs/add-a-provider.md",
        "5. Look at the real thing",
    ): "tests/ingest/cli/test_cli_providers.py, test_recorder.py: needs a recording",
    (
        "docs/changing-over.md",
        "Changing over from another service",
    ): "tests/ingest/cli/test_import_feed.py: needs another service",
}
"""Headings whose commands no test can play as they are, with the reason; the command line has to take them all the same."""
NO_COMMANDS = {
    ("docs/architecture.md", "Architecture"), ("docs/add-a-provider.md", "2. Make the package"),
    ("docs/embed.md", "Content Security Policy"), ("docs/embed.md", "Appearance"),
    ("docs/embed.md", "What posts embed of third parties"),
}  # fmt: skip
"""Headings whose indented blocks are drawings, headers, style sheets or programs."""


@cache
def documents():
    """The text of each page that says what is so now."""
    pages = {str(path.relative_to(ROOT)): path for path in tracked() if path.suffix == ".md"}
    return {name: path.read_text(encoding="utf-8") for name, path in pages.items() if not name.startswith(HISTORY)}


@cache
def all_blocks():
    """Page and block of code, of all pages."""
    return [(page, block) for page, text in documents().items() for block in blocks_of(text)]


@cache
def all_words():
    """Page and code within a sentence, of all pages."""
    return [(page, code) for page, text in documents().items() for code in inline(text)]


def printed():
    """Page, heading and text of each block that somebody types."""
    return [
        (page, block.heading, block.text)
        for page, block in all_blocks()
        if block.is_typed and (page, block.heading) not in NO_COMMANDS
    ]


def test_every_command_is_played_or_cannot_be():
    """A heading with commands stands in one of the lists, and in the lists is no other one; the tests that they name are there."""
    below = {(page, heading) for page, heading, _ in printed()}
    listed = {*PLAYED, *NOT_PLAYED}

    assert below - listed == set(), "play it, or say why no test can"
    assert listed - below == set(), "no command stands there any more"
    assert {(page, block.heading) for page, block in all_blocks()} >= NO_COMMANDS
    assert PLAYED.keys() & NOT_PLAYED.keys() == set()
    for test in PLAYED.values():
        path, name = test.split("::")
        assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), test


def test_tables_of_the_configuration_are_toml():
    """Each block that begins like one."""
    shown = [(page, block.text) for page, block in all_blocks() if block.language == "toml"]

    assert len(shown) > 5
    for page, text in shown:
        assert tomllib.loads(text), page


def anchors(text):
    """What links to the headings of a page end with."""
    plain = (
        re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", line).lower() for line in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    )
    return {re.sub(r"[^\w -]", "", line).strip().replace(" ", "-") for line in plain}


def test_every_link_leads_somewhere():
    """To a file of the repository and a heading in it; what other sites have is not looked up."""
    pages = [path for path in tracked() if path.suffix == ".md" and path.is_file()]
    checked, missing = 0, []
    for page in pages:
        for link in re.findall(r"\]\((?!https?:|mailto:)([^)\s]+)\)", page.read_text(encoding="utf-8")):
            checked += 1
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            if not target.exists() or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
                missing.append((str(page.relative_to(ROOT)), link))

    assert checked > 50
    assert missing == []


def called(program):
    """Page and arguments of each call of a program, in blocks and within sentences; what is left out leaves nothing."""
    for page, _, text in printed():
        for words in commands(text):
            own = words[1:] if words[:1] == ["sudo"] else words
            if own[: len(program)] == program:
                yield page, own[len(program) :]
    for page, code in all_words():
        if code.split()[: len(program)] == program:
            yield page, [word for word in code.split()[len(program) :] if "…" not in word]


def test_the_command_line_takes_what_is_printed(capsys):
    """Every sub-command, option and value; an argument may be missing where a sentence names the command alone."""
    lines = list(called(["matchwire"]))
    for page, words in lines:
        fault = line_fault(app, words)
        named = isinstance(fault, MissingArgument) and not words[2:]
        assert fault is None or named or str(fault).endswith("does not exist."), (page, words, fault)

    assert len(lines) > 40
    assert "matchwire 0." in capsys.readouterr().out


@pytest.mark.parametrize("words", [["explian", "X"], ["run", "--roles", "api"], ["run", "--role", "king"]])
def test_what_the_command_line_does_not_take_is_found(words):
    """Unknown commands, options and values."""
    assert re.match("No such|.* is not one of", str(line_fault(app, words)))


class Taken(Exception):
    """The arguments were understood."""


def test_programs_of_the_sources_take_what_is_printed(monkeypatch):
    """Benchmarks with all options; what make can make; modules that are there."""
    parse = argparse.ArgumentParser.parse_args

    def stop(self, *args):
        parse(self, *args)
        raise Taken

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", stop)
    monkeypatch.setattr(structlog, "configure", lambda **_: None)  # other tests of this process read what is logged
    for page, (module, *words) in [*called(["python", "-m"]), *called(["python3", "-m"])]:
        if module.startswith("bench"):
            monkeypatch.setattr(sys, "argv", [module, *words])
            with pytest.raises(Taken):
                importlib.import_module("bench.__main__" if module == "bench" else module).main()
        assert module in {"venv", "pip"} or importlib.util.find_spec(module), (page, module)
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    made = {words[0] for _, words in called(["make"]) if words}
    assert {"install", "run", "test", "soak"} <= made <= targets


def test_every_promise_names_the_tests_that_fail_without_it():
    """Each test file that a promise of README names is there; faults planted into what they promise: tests/simulation."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition("## What it promises")[2].partition("\n## ")[0]
    promises = re.findall(r"^\d\. .*(?:\n   .*)*", text, re.MULTILINE)
    named = [re.findall(r"`(tests/[\w/]+\.py)`", promise) for promise in promises]

    assert [True] * 4 == [bool(each) for each in named]
    assert [] == [path for each in named for path in each if not (ROOT / path).is_file()]
