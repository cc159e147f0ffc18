"""Containerfile and compose.yaml grant little and are built of what the lock names; `soak` plays them."""

import json
import re
import tomllib

from config import Settings
from tests.deploy.container import CONFIGURATION, ROOT, composed, instructions, values

OURS = ("api", "worker", "upgrade")
LABELS = {"title", "description", "licenses", "base.name", "version", "revision", "created"}


def test_the_image_is_not_roots_and_has_no_tools():
    """A user by number, SIGTERM, OCI labels; all that the last stage runs takes pip away and makes the data folder."""
    last = instructions(-1)
    (run,) = values(-1, "RUN")

    assert values(-1, "USER") == ["10001:10001"]
    assert [name for name, _ in last].index("USER") > [name for name, _ in last].index("COPY")
    assert values(-1, "STOPSIGNAL") == ["SIGTERM"]
    assert set(re.findall(r"org\.opencontainers\.image\.([a-z.]+)=", values(-1, "LABEL")[0])) == LABELS
    assert run.split("&&")[0].strip() == "python -m pip uninstall --yes --quiet pip"
    assert "--owner=10001 --group=10001 --mode=0750 /data" in run.split("&&")[1]
    assert json.loads(values(-1, "VOLUME")[0]) == ["/data"]
    assert values(-1, "COPY") == ["--from=build /opt/matchwire /opt/matchwire"]
    assert values(-1, "FROM")[0] in values(1, "FROM")[0]


def test_what_is_built_comes_from_the_lock_and_from_the_packages():
    """Hashes for every download, no index afterwards; the packages of the wheel, and no others, reach the engine."""
    download, *others = [each for run in values(1, "RUN") for each in run.split("&&") if re.search(r"\bpip\b", each)]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    copied = {value.split()[0] for value in values(1, "COPY") if value.split()[1] == f"./{value.split()[0]}"}
    allowed = set(re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE))

    assert "--require-hashes" in download
    assert [each for each in others if " install " in each or " wheel " in each] == [
        each for each in others if "--no-index" in each
    ]
    assert copied == set(packages)
    assert allowed == {*packages, "requirements.lock", "pyproject.toml", "README.md", "LICENSE"}


def test_every_service_may_do_little():
    """Read-only, without capabilities or a way to more; logs, processes and stops have bounds."""
    services = composed()["services"]

    for name, service in services.items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert set(service["logging"]["options"]) == {"max-size", "max-file"}, name
    assert services["api"]["ports"] == ["127.0.0.1:8080:8080"]
    assert services["postgres"]["networks"] == ["inside"]
    assert composed()["networks"]["inside"] == {"internal": True}
    assert services["worker"]["deploy"] == {"replicas": 2}
    assert int(services["api"]["stop_grace_period"].removesuffix("s")) > Settings().server.shutdown_grace + 3
    assert health_of_image() == services["api"]["healthcheck"] == services["worker"]["healthcheck"]
    assert "healthcheck" in services["postgres"]
    mounted = {each.split(":")[1] for name in OURS for each in services[name]["volumes"] if not each.endswith(":ro")}
    assert mounted == {"/data"}


def health_of_image():
    """HEALTHCHECK in the words of Compose."""
    (said,) = values(-1, "HEALTHCHECK")
    options, command = re.sub(r"\\\n\s*", " ", said).split("CMD", 1)
    words = {name.replace("-", "_"): value for name, value in re.findall(r"--([\w-]+)=(\w+)", options)}
    return {**words, "retries": int(words["retries"]), "test": ["CMD", *json.loads(command)]}


def test_secrets_are_files_and_nothing_else():
    """Every secret that a service or the configuration names is a file of its own; none stands in the environment."""
    tables = composed()
    said = tomllib.loads(CONFIGURATION.read_text())
    named = set(re.findall(r"/run/secrets/([\w-]+)", CONFIGURATION.read_text()))

    assert {name: each["file"] for name, each in tables["secrets"].items()} == {
        name: f"secrets/{name}" for name in ("postgres-password", "database-url", "newsroom-cms")
    }
    assert named - {"heim"} == set(tables["services"]["api"]["secrets"])
    assert "environment" not in tables["services"]["api"]
    assert [key for key in said["database"] if key == "url"] == []
    assert "POSTGRES_PASSWORD" not in tables["services"]["postgres"]["environment"]
