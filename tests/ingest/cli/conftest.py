"""The command on a database of its own."""

import pytest

from tests.kit.command import invoke
from tests.kit.day import ORGANIZATION
from tests.kit.sqlite import migrated_url


@pytest.fixture
def config_file(tmp_path):
    """Of an empty database with a current schema, for one organization."""
    path = tmp_path / "matchwire.toml"
    path.write_text(
        f'[server]\nport = 0\n[database]\nurl = "{migrated_url(tmp_path / "matchwire.db")}"\n'
        f'[organizations.{ORGANIZATION}]\nname = "Example"\n'
    )
    return path


@pytest.fixture
def matchwire(config_file):
    """Exit status and output of the command with that configuration; `given`: its standard input."""

    def run(*words, given=None):
        done = invoke(*words, "--config", config_file, given=given)
        return done.exit_code, done.output

    return run
