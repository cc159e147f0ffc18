"""The command notices when another distribution has put its packages in the place of matchwire's."""

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from ingest.entry import MISTAKE, PACKAGES
from ingest.kit.process import ExitStatus

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = "import sys; from ingest.entry import main; sys.argv = ['matchwire', '--version']; main()"


def started(*places):
    """Exit status and lines of the command, with packages looked for in these folders first, and no editable install."""
    path = os.pathsep.join(map(str, (*places, sysconfig.get_path("purelib"))))
    done = subprocess.run(
        [sys.executable, "-S", "-c", PROGRAM], env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        cwd="/", capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    return done.returncode, (done.stdout + done.stderr).splitlines()


@pytest.fixture
def installed(tmp_path):
    """Where pip puts matchwire when it is not editable: its packages among those of others."""
    for name in (*PACKAGES, "ingest"):
        if name in {"config", "ingest"}:
            shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def test_an_installed_command_runs(installed):
    """With its own packages it starts, wherever they are."""
    code, lines = started(installed)

    assert code == 0, lines
    assert lines[0].startswith("matchwire ")


@pytest.mark.proof
@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        pytest.param(
            "__init__.py", "class Config: ...\n", "the package config is not matchwire's own", id="overwritten"
        ),
        pytest.param("__init__.py", None, "the package config is damaged, {file} is missing", id="taken away"),
        pytest.param("check.py", None, "No module named 'config.check'", id="a module is missing"),
    ],
)
def test_a_package_that_others_have_damaged_is_named(installed, file, content, words):
    """`pip install config` writes its `__init__` over ours, and takes ours away with its own: one line, no traceback."""
    damaged = installed / "config" / file
    damaged.unlink()
    if content is not None:
        damaged.write_text(content)

    code, (line,) = started(installed)

    assert code == ExitStatus.MISTAKE == MISTAKE
    assert line.startswith("matchwire: ")
    assert words.format(file=damaged) in line
    assert content is None or str(damaged) in line


@pytest.mark.proof
@pytest.mark.parametrize("name", PACKAGES)
@pytest.mark.parametrize("form", ["{}/__init__.py", "{}.py"])
def test_a_package_in_front_of_ours_is_named(tmp_path, name, form):
    """A package or a module of one of our names that is found sooner is reported with its path."""
    file = tmp_path / form.format(name)
    file.parent.mkdir(exist_ok=True)
    file.write_text("raise RuntimeError('somebody else was loaded')\n")

    code, (line,) = started(tmp_path, ROOT)

    assert (code, f"the package {name} is not" in line, str(file) in line) == (ExitStatus.MISTAKE, True, True), line


EARLY = """
import os, signal, sys

class HangUp:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            os.kill(os.getpid(), signal.SIGHUP)

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # below nohup it would be ignored
sys.meta_path.insert(0, HangUp())
from ingest.entry import main
sys.argv = ["matchwire", *sys.argv[1:]]
main()
"""


@pytest.mark.proof
@pytest.mark.parametrize(
    ("words", "status"),
    [(("run", "--config", "missing.toml"), ExitStatus.MISTAKE), (("check-config", "missing.toml"), -signal.SIGHUP)],
)
def test_sighup_before_the_daemon_is_loaded_ends_no_daemon(tmp_path, words, status):
    """A daemon that is to look at its configuration while it is still being loaded goes on; other commands end."""
    done = subprocess.run(
        [sys.executable, "-c", EARLY, *words], env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert done.returncode == status, done.stderr
