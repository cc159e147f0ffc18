"""Every command that a document prints is one that the command line, the benchmarks or make take."""

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
import typer

from ingest.cli.main import app
from tests.kit.blocks import blocks_of, commands, inline
from tests.kit.repository import tracked

UsageFault = typer.BadParameter.__mro__[1]
"""click's UsageError, wherever this version of Typer has it from."""


class MissingArgument(Exception):
    """What is needed is not there; all that is there is well."""


command_of = cache(typer.main.get_command)


def line_fault(app, arguments):
    """What is wrong with the command, None if nothing; a group alone is well."""
    command, path, context = command_of(app), "matchwire", None
    try:
        while arguments or not hasattr(command, "commands"):
            context = command.make_context(path, list(arguments), parent=context)
            arguments = [*context._protected_args, *context.args]
            if not arguments or not hasattr(command, "commands"):
                return None
            path, command, arguments = command.resolve_command(context, arguments)
    except typer.Exit:  # --help, --version
        return None
    except UsageFault as fault:
        return MissingArgument(str(fault)) if type(fault).__name__ == "MissingParameter" else fault
    return None


ROOT = Path(__file__).resolve().parents[1]
HISTORY = ("CHANGELOG.md", "docs/decisions/")
"""What was so once."""
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


def test_tables_of_the_configuration_are_toml():
    """Each block that begins like one."""
    shown = [(page, block.text) for page, block in all_blocks() if block.language == "toml"]

    assert len(shown) > 5
    for page, text in shown:
        assert tomllib.loads(text), page


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
