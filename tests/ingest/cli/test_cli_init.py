"""`matchwire init`: what it writes is valid whatever the options, and what it refuses leaves nothing behind."""

import pytest

import config
from ingest.cli.shared import vocabulary
from tests.kit.command import invoke

HEIM = ("--base-url", "https://customer.provider.example", "--username", "newsroom")


@pytest.fixture
def init(tmp_path):
    def called(*words, given=""):
        done = invoke("init", tmp_path / "new", *words, given=given)
        return done.exit_code, done.output

    return called


@pytest.mark.parametrize(
    ("words", "given", "secret"),
    [
        ((), "", None),
        (HEIM, "p'a\"ss\n", "p'a\"ss"),
        ((*HEIM[:3], 'nüws "room"\\', "--text"), "pass\r\n", "pass"),
        (("--provider", "gn-gsd", "--base-url", "https://gsd.example/v1", "--api-key"), "a-key\n", "a-key"),
        (("--provider", "openligadb", "--base-url", "https://api.openligadb.de"), "", None),
        (("--organization", "club-7", "--client", "my_cms"), "", None),
    ],
)
def test_what_it_writes_is_valid(init, tmp_path, words, given, secret):
    """No remark of `check-config`, the secrets in files that nobody else can read, and none of them printed."""
    code, said = init(*words, given=given)
    file, secrets = tmp_path / "new" / "matchwire.toml", tmp_path / "new" / "secrets"

    assert code == 0, said
    assert config.check(file, {}, vocabulary()) == []
    settings = config.load(file, {})
    endpoints = [each for organization in settings.organizations.values() for each in organization.providers.values()]
    kept = [each.password or each.api_key for each in endpoints]
    assert [each.get_secret_value() for each in kept if each] == [secret] * (secret is not None)
    assert {path.stat().st_mode & 0o777 for path in secrets.iterdir()} == {0o600}
    assert secrets.stat().st_mode & 0o777 == 0o700
    assert not any(path.read_text().strip() in said for path in secrets.iterdir())
    assert len(next(iter(settings.clients.values())).secrets[0]) >= 40


@pytest.mark.parametrize(
    ("words", "given", "names"),
    [
        (("--base-url", "ftp://x.example"), "", "organizations.newsroom.providers.heim.base_url: expects http"),
        (("--provider", "hiem", "--base-url", "https://x.example"), "", "no provider hiem is installed"),
        (("--organization", "a_b"), "", "--organization: "),
        (("--client", "../a"), "", "--client: "),
        (("--provider", "../a"), "", "--provider: "),
        (("--client", "heim"), "", "--client: "),
        (("--username", "x"), "", "--base-url"),
        ((*HEIM, "--api-key"), "x\n", "--username or --api-key"),
        (HEIM, "\n", "there is no password"),
        ((*HEIM[:3], "a:b"), "x\n", "':' in its username"),
    ],
)
def test_what_it_refuses_leaves_no_file(init, tmp_path, words, given, names):
    """One line that names the option or the key, exit status 2, nothing half-written."""
    code, said = init(*words, given=given)

    assert (code, said.count("\n"), names in said) == (2, 1, True), said
    assert [path for path in tmp_path.rglob("*") if path.is_file() or path.name == "secrets"] == []


@pytest.mark.parametrize("there", ["matchwire.toml", "secrets/newsroom-cms", "secrets/heim"])
def test_it_overwrites_nothing(init, tmp_path, there):
    """A file that is there stays, and no other is written beside it; not even through a link that leads nowhere."""
    (tmp_path / "new" / "secrets").mkdir(parents=True)
    (tmp_path / "new" / there).symlink_to(tmp_path / "elsewhere")

    code, said = init(*HEIM, given="pass\n")

    assert (code, there in said) == (2, True)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    """One line with the folder."""
    (tmp_path / "file").write_text("")
    done = invoke("init", tmp_path / "file" / "new")

    assert (done.exit_code, done.output) == (2, f"matchwire: {tmp_path}/file/new: cannot be written: Not a directory\n")
