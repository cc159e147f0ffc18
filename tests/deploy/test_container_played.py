"""Containerfile's build and compose.yaml's services, played in a folder and on a real PostgreSQL where no engine is."""

import asyncio
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import httpx
import pytest

from providers.replay import Replay, ReplaySettings
from tests.deploy.container import CONFIGURATION, ROOT, command_of_image, composed, instructions, values
from tests.kit.creating import LINES, MATCH
from tests.kit.terminal import Terminal, plain_environment
from tests.kit.unprivileged import NOBODY, own_folder, unprivileged

pytestmark = pytest.mark.proof

PASSWORD = "the provider's password"
HEIM = "MATCHWIRE_ORGANIZATIONS__NEWSROOM__PROVIDERS__HEIM__BASE_URL"


def built(image):
    """Plays all COPY and RUN of the first stage; `image` is the root of its paths."""
    places = {name: str(image / name.strip("/")) for name in ("/src", "/wheels", "/build", "/opt/matchwire")}
    path = image / "bin"
    path.mkdir(parents=True)
    python = path / "python"
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(str(Path(sys._base_executable)))} "$@"\n')
    python.chmod(0o755)
    source = Path(places["/src"])
    source.mkdir()
    for name, value in instructions(1):
        if name == "COPY":
            copied(source, *value.split())
        elif name == "RUN":
            command = re.sub(rf"(?<![\w.])({'|'.join(places)})\b", lambda found: places[found[1]], value)
            environ = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}"}
            environ.pop("PYTHONPATH", None)
            done = subprocess.run(
                ["bash", "-ec", command],
                cwd=source,
                env=environ,
                capture_output=True,
                text=True,
                timeout=600,
                check=False,
            )
            assert done.returncode == 0, (command, done.stdout, done.stderr)
    return Path(places["/opt/matchwire"])


def copied(source, *words):
    *names, target = words
    for name in names:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, source / target)


class Stack:
    """The services of compose.yaml as processes of an unprivileged user who can write the data folder alone."""

    def __init__(self, folder, installed, url, upstream):
        self.folder, self.installed, self.data = folder, installed, folder / "data"
        self.running = []
        self.data.mkdir()
        if unprivileged():
            os.chown(self.data, NOBODY, NOBODY)
        self.secrets(url)
        environ = dict(re.findall(r'(\w+)=("[^"]*"|\S+)', values(-1, "ENV")[0]))
        del environ["PATH"]
        environ = {name: self.local(value.strip('"')) for name, value in environ.items()}
        environ |= {HEIM: upstream, "MATCHWIRE_SERVER__PORT": "0", "MATCHWIRE_SERVER__HOST": "127.0.0.1"}
        self.environ = plain_environment(self.data, **environ)

    def secrets(self, url):
        """The block of the page, as it is printed; then the address and the provider of this test."""
        page = (ROOT / "docs" / "for-operators.md").read_text()
        block = re.search(r"    cd deploy\n((?:    .+\n)+)", page)[1]
        (self.folder / "deploy").mkdir()
        subprocess.run(["bash", "-euc", block], cwd=self.folder / "deploy", check=True)
        self.secret_files = self.folder / "deploy" / "secrets"
        assert set(composed()["secrets"]) == {file.name for file in self.secret_files.iterdir()}
        said = (self.secret_files / "database-url").read_text()
        assert re.fullmatch(r"postgresql://matchwire:[\w-]{32}@postgres/matchwire\n", said)
        for name, secret in (("database-url", url), ("heim", PASSWORD)):
            (self.secret_files / name).unlink(missing_ok=True)
            (self.secret_files / name).write_text(secret + "\n")
        self.secret_files.chmod(0o755)  # the engine reads it as root and mounts the files alone
        text = re.sub(
            r"^# (?=\[organizations\.|base_url|username|password_file)",
            "",
            CONFIGURATION.read_text(),
            flags=re.MULTILINE,
        )
        assert "heim" in tomllib.loads(text)["organizations"]["newsroom"]["providers"]
        (self.folder / "matchwire.toml").write_text(text.replace("/run/secrets", str(self.secret_files)))

    def local(self, word):
        """A path of the image, here."""
        return word.replace("/etc/matchwire", str(self.folder)).replace("/data", str(self.data))

    def start(self, name, command):
        words = [str(self.installed / "bin" / "matchwire"), *map(self.local, command)]
        self.running.append((name, Terminal(self.data, self.environ, f"exec {shlex.join(words)}")))
        return self.running[-1][1]

    def stop(self):
        """SIGTERM, as the engine sends it; the exit statuses."""
        for each in (each for _, each in self.running if each.process.poll() is None):
            os.killpg(each.process.pid, signal.SIGTERM)
        return [(name, each.process.wait(30)) for name, each in self.running]

    def close(self):
        for _, each in self.running:
            each.end()


def standing(folder, apart_from):
    """All files below a folder, but logs of terminals, with the time of their last change."""
    return {
        path: path.lstat().st_mtime_ns
        for path in folder.rglob("*")
        if apart_from not in path.parents and path != apart_from and path.suffix != ".log"
    }


@pytest.mark.soak
async def test_the_image_and_the_services_work(bare_postgres_url):
    """Built from the lock without what builds; one API and two workers on PostgreSQL fill a liveblog; only /data is written."""
    settings = ReplaySettings(user="newsroom", password=PASSWORD, start_at="end")
    with own_folder() as folder:
        folder.chmod(0o755)
        installed = await asyncio.to_thread(built, folder / "image")
        names = {path.name.partition("-")[0].lower() for path in installed.glob("lib/*/site-packages/*.dist-info")}
        assert "matchwire" in names
        assert names.isdisjoint({"pip", "hatchling", "editables", "pytest", "setuptools"})
        async with Replay([*LINES], settings).serve() as replay:
            stack = Stack(folder, installed, bare_postgres_url, replay.url)
            try:
                await asyncio.to_thread(played, stack)
            finally:
                stack.close()


def played(stack):
    for path in stack.installed.rglob("*"):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & ~0o222)
    before = standing(stack.folder, apart_from=stack.data)
    services = composed()["services"]
    upgrade = stack.start("upgrade", services["upgrade"]["command"])
    assert upgrade.finished()[0] == 0, upgrade.log.read_text()
    api = stack.start("api", services["api"]["command"])
    workers = [
        stack.start("worker", services["worker"]["command"]) for _ in range(services["worker"]["deploy"]["replicas"])
    ]
    for each in (api, *workers):
        healthy(stack, f"http://{each.address()}")
    secret = (stack.secret_files / "newsroom-cms").read_text().strip()
    with httpx.Client(base_url=f"http://{api.address()}", auth=("newsroom-cms", secret), trust_env=False) as http:
        ready = until(lambda: http.get("/readyz"), lambda answer: answer.json().get("workers") == len(workers))
        assert ready.status_code == 200
        body = {"provider": "heim", "matchId": MATCH, "autoPostEnabled": True}
        made = http.post("/apigw/sports/v2/newsroom/liveblog/createFromExternal", json=body)
        assert made.status_code == 200, made.text
        feed = {"liveblogId": made.json()["local_id"]}
        until(
            lambda: http.get("/api/embed/v4/feed/liveblog.json", params=feed),
            lambda answer: "1-0" in json.dumps(answer.json()["items"]),
        )
    assert stack.stop() == [("upgrade", 0), ("api", 0), ("worker", 0), ("worker", 0)]
    assert standing(stack.folder, apart_from=stack.data) == before
    said = "".join(each.log.read_text() for _, each in stack.running)
    assert PASSWORD not in said
    assert secret not in said
    assert command_of_image()[1] == services["api"]["command"][0]


def healthy(stack, url):
    """HEALTHCHECK's own command; against a port that nobody has it fails."""
    said = re.sub(r"\\\n\s*", " ", values(-1, "HEALTHCHECK")[0])
    program = json.loads(said.split("CMD", 1)[1])
    python = [str(stack.installed / "bin" / program[0]), *program[1:-1]]
    for address, status in ((url, 0), ("http://127.0.0.1:9", 1)):
        line = program[-1].replace("http://127.0.0.1:8080", address)
        assert line != program[-1]
        done = subprocess.run([*python, line], capture_output=True, check=False, env=stack.environ, timeout=60)
        assert done.returncode == status, done.stderr


def until(ask, good, within=60):
    for _ in range(within * 10):
        if good(answer := ask()):
            return answer
        time.sleep(0.1)
    raise TimeoutError(answer.text)
