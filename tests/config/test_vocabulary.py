"""Names are compared with what is installed, what is dangerous is warned of, and all mistakes are reported at once."""

import pytest

from config import check
from tests.config.samples import ORG, SAMPLE, problems, write

VOCABULARY = {
    "heim": {"soccer": ("soccer.goal", "soccer.yellow-card"), "tennis": ("tennis.ace",)},
    "gn-gsd": {"soccer": ("soccer.goal",), "cycling": ()},
}
LATE = 'key = "late"\n'
TABLE = "[[liveblogs]]\n"
RULE = f'[[follow]]\nkey = "league"\norganization = "{ORG}"\nprovider = "heim"\ncompetition = "12"\n'


def errors(text, folder):
    return [line for line in check(write(folder, text), {}, VOCABULARY) if line.startswith("error: ")]


@pytest.mark.parametrize(
    ("old", "new", "key", "says"),
    [
        (
            ".providers.heim]",
            ".providers.hiem]",
            f"organizations.{ORG}.providers.hiem",
            "no provider hiem is installed",
        ),
        ("[polling]", "[providers.hiem.names]\nphase = 'x'\n[polling]", "providers.hiem", "only gn-gsd, heim"),
        (
            '"soccer.yellow-card"',
            '"soccer.goal", "soccer.yelow-card"',
            "liveblogs[0].exclude_events[1]",
            "no provider has an event type soccer.yelow-card; the nearest is soccer.yellow-card",
        ),
        (
            LATE,
            f'{LATE}exclude_events = ["tennis.ace"]\n',
            "liveblogs[1].exclude_events[0]",
            "tennis.ace belongs to a sport that gn-gsd does not have, only soccer, cycling",
        ),
        (TABLE, f'{RULE}standby = ["pa"]\n{TABLE}', "follow[0].standby[0]", f"organization {ORG} has no provider pa"),
        (TABLE, f'{RULE}standby = ["heim"]\n{TABLE}', "follow[0]", "two sources of one provider"),
        (
            TABLE,
            f'{RULE}standby = ["gn-gsd"]\nsport = "tennis"\n{TABLE}',
            "follow[0].standby",
            "no standby sources for tennis",
        ),
    ],
)
def test_a_name_that_nobody_has_is_an_error(tmp_path, old, new, key, says):
    """Each is reported with the file and its key, and keeps the daemon from starting."""
    found = errors(SAMPLE.replace(old, new, 1), tmp_path)

    assert [line for line in found if key in line and says in line and str(tmp_path) in line], found


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (LATE, f'{LATE}exclude_events = ["soccer.yellow-card"]\n', "gn-gsd never sends soccer.yellow-card"),
        (
            '"soccer.yellow-card"',
            '"soccer.goal", "tennis.ace"',
            "types of soccer and tennis, but a match has one sport",
        ),
    ],
)
def test_a_type_that_excludes_nothing_is_a_warning(tmp_path, old, new, says):
    """What the interface allows and yet does nothing is said, and does not keep the daemon from starting."""
    (finding,) = check(write(tmp_path, SAMPLE.replace(old, new, 1)), {}, VOCABULARY)

    assert finding.startswith("warning: liveblogs[")
    assert says in finding


def test_all_mistakes_are_reported_at_once(tmp_path):
    """A wrong value, an unknown key, an unreadable secret and names that lead nowhere come in one reading."""
    text = (
        SAMPLE.replace("port = 8080", "port = -1\nprot = 1")
        .replace('password = "upstream-password"', 'password_file = "nowhere"')
        .replace('api_key = "upstream-key"', 'username = "u"')
        .replace('["soccer.yellow-card"]', '["soccer.yelow-card"]')
        .replace('phase_id = "77"', 'phase_id = "77"\nmatch_id = "1"')
        .replace("[polling]", '[organizations.bad]\n[organizations.other]\nname = "O"\n[organizations.other.providers.hiem]\n'
                 'base_url = "https://x.example"\n[clients.x]\nsecret = "s"\norganizations = ["bad", "none"]\n[polling]')
    )  # fmt: skip

    found = {problem.key for problem in problems(write(tmp_path, text), vocabulary=VOCABULARY)}

    assert found == {
        "server.port",
        "server.prot",
        f"organizations.{ORG}.providers.heim.password_file",
        f"organizations.{ORG}.providers.gn-gsd.password",
        "organizations.bad.name",
        "organizations.other.providers.hiem",
        "clients.x.organizations[1]",
        "liveblogs[0].exclude_events[0]",
        "liveblogs[1]",
    }


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("0123456789abcdef0123456789abcdef", "short", "clients.newsroom-cms: a secret of fewer than 22 characters"),
        ("[polling]", ('[clients.b]\nsecret = "0123456789abcdef0123456789abcdef"\n'
         'organizations = ["5f0c1de2a1b2c3d4e5f60718"]\n[polling]'), "clients.b: has the same secret"),
        ('"https://live.example.org/"', '"http://live.example.org"', "server.public_url: is not https"),
        ("https://customer.provider", "http://customer.provider", "providers.heim.base_url: is not https"),
        ("live = 5", "live = 0.2", "polling.live: asks a provider more than once a second"),
        ("live = 5", "live = 50", "polling.silence_alarm: is shorter than two live intervals"),
    ],
)  # fmt: skip
def test_what_is_dangerous_is_said(tmp_path, old, new, says):
    """Each danger is one warning that names the key."""
    (finding,) = check(write(tmp_path, SAMPLE.replace(old, new, 1)), {})

    assert finding.startswith("warning: ")
    assert says in finding


def declared(count, text=""):
    """So many declared liveblogs of the sample's organization."""
    return "".join(
        f'\n[[liveblogs]]\nkey = "many-{n}"\norganization = "5f0c1de2a1b2c3d4e5f60718"\nprovider = "heim"\n'
        f'match_id = "{n + 1}"\n{text}\n'
        for n in range(count)
    )


@pytest.mark.parametrize(
    ("rate", "count", "text", "says"),
    [
        (
            4,
            12,
            "",
            "polling.rate: 12 matches of declared liveblogs need about 5 requests a second of one heim endpoint",
        ),
        (4, 9, "include_text_content = true", "4 are allowed; each is polled every 7 s then, not every 5 s"),
        (4, 10, "", None),
        (0, 12, "", None),
    ],
)
def test_a_rate_that_is_too_low_for_the_declared_liveblogs_is_said(tmp_path, rate, count, text, says):
    """Two requests a poll, three with text, all matches live at the same time; two liveblogs on one match share its polls."""
    sample = SAMPLE.partition("[[liveblogs]]")[0].replace("live = 5", f"live = 5\nrate = {rate}")
    findings = check(write(tmp_path, sample + declared(count, text) + declared(count).replace("many-", "other-")), {})

    assert [says in each for each in findings] == ([] if says is None else [True])


def test_an_open_host_wants_a_public_address(tmp_path):
    """Links of a server that others reach must not point to the address it listens on."""
    text = SAMPLE.replace('"127.0.0.1"', '"0.0.0.0"').replace('public_url = "https://live.example.org/"', "")

    (finding,) = check(write(tmp_path, text), {})

    assert "server.public_url: is not set" in finding


def test_without_clients_nobody_gets_in():
    """An empty configuration starts, and its remarks name what it lacks."""
    findings = check(None, {})

    assert [finding.split(":")[:2] for finding in findings] == [["warning", " organizations"], ["warning", " clients"]]


def test_a_secret_file_that_all_can_read_is_named(tmp_path):
    """Permissions of secret files are looked at."""
    word = tmp_path / "word"
    word.write_text("upstream-password")
    path = write(tmp_path, SAMPLE.replace('password = "upstream-password"', 'password_file = "word"'))

    word.chmod(0o604)
    (finding,) = check(path, {})
    word.chmod(0o600)

    assert str(word) in finding
    assert check(path, {}) == []


def test_a_configuration_with_secrets_that_all_can_read_is_named(tmp_path):
    """The file itself is a secret file when secrets stand in it; hashes are none."""
    path = write(tmp_path, SAMPLE)
    path.chmod(0o644)

    (finding,) = check(path, {})

    assert f"{path}: holds secrets" in finding


def test_a_list_of_leaked_passwords_that_cannot_be_read_is_a_warning(tmp_path):
    """Nothing would be refused by it, and nobody would know."""
    listed = tmp_path / "leaked.txt"
    path = tmp_path / "matchwire.toml"
    path.write_text(f'[desk]\nleaked_passwords = "{listed}"\n')

    before = check(path, {})
    listed.write_text("")

    assert any("desk.leaked_passwords: cannot be read" in each for each in before)
    assert not any("leaked_passwords" in each for each in check(path, {}))
