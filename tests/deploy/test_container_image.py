"""The image as an engine makes it: buildah (Debian's package) builds Containerfile and starts what it has made.

The base image is one of Debian's packages under the name that Containerfile wants, so that nothing comes from a registry of images:
its Python is Debian's, and what is proved is the build, the image's configuration and the daemon in it.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import httpx
import pytest

from tests.deploy.container import ROOT, command_of_image, instructions, program
from tests.kit.command import MATCHWIRE

pytestmark = pytest.mark.proof

CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"
PACKAGES = "python3,python3-pip,python3-venv,ca-certificates"
USER = 10001


class Engine:
    """buildah with a storage of its own, without namespaces: `chroot` is all that every machine allows."""

    def __init__(self, folder):
        self.line = [program("buildah"), "--root", str(folder / "images"), "--runroot", str(folder / "run")]
        self.environ = {**os.environ, "STORAGE_DRIVER": "vfs", "BUILDAH_ISOLATION": "chroot"}

    def __call__(self, *words):
        """What the command prints."""
        done = subprocess.run(
            [*self.line, *map(str, words)], env=self.environ, cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (words, done.stdout[-2000:], done.stderr[-2000:])
        return done.stdout.strip()

    async def start(self, *words):
        return await asyncio.create_subprocess_exec(
            *self.line, *map(str, words), env=self.environ,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip


def base_image(engine, folder, names):
    """Debian with its Python, under each of these names. It trusts whom this machine trusts."""
    root = folder / "debian"
    line = [program("debootstrap"), "--variant=minbase", f"--include={PACKAGES}", "bookworm", str(root)]
    subprocess.run(line, check=True, capture_output=True)
    shutil.copy(f"/{CERTIFICATES}", root / CERTIFICATES)
    (root / "usr" / "bin" / "python").symlink_to("python3")
    for mark in root.glob("usr/lib/python3*/EXTERNALLY-MANAGED"):
        mark.unlink()  # an image of Python has none: pip may be used outside of environments
    (root / "etc" / "pip.conf").write_text(f"[global]\ncert = /{CERTIFICATES}\n")
    container = engine("from", "scratch")
    engine("add", "--quiet", container, root, "/")
    for name in names:
        engine("commit", "--quiet", container, f"docker.io/library/{name}")
    engine("rm", container)
    shutil.rmtree(root)


def process_of(data):
    """The process in the container, by its data folder."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes().split(b"\0")
            if words[0].endswith(b"python") and data.encode() in words:
                return int(path.name), path.stat().st_uid
        except OSError:
            continue
    return None


def configured(folder):
    """A configuration as `init` writes it, for the user of the image to read."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([*MATCHWIRE, "init", str(folder)], check=True, capture_output=True, env=environ)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


@pytest.mark.soak
@pytest.mark.skipif(os.geteuid() != 0, reason="debootstrap and chroot are for root")
async def test_an_engine_builds_the_image_and_starts_it(tmp_path):
    """The build ends; user, volume, health check and stop signal are the image's; the daemon in it answers, and SIGTERM ends it."""
    engine = Engine(tmp_path)
    base_image(engine, tmp_path, {value.split()[0] for name, value in instructions() if name == "FROM"})
    engine(
        "bud",
        "--pull-never",
        "--network",
        "host",
        "--format",
        "docker",
        "--tag",
        "matchwire",
        "--file",
        "Containerfile",
        ".",
    )
    image = json.loads(engine("inspect", "--type", "image", "localhost/matchwire"))["Docker"]["config"]
    folder = configured(tmp_path / "etc")
    container = engine("from", "--pull-never", "localhost/matchwire")
    environ = ["--env", "MATCHWIRE_SERVER__HOST=127.0.0.1", "--env", "MATCHWIRE_SERVER__PORT=0"]
    mounted = ["--network", "host", "--volume", f"{folder}:/etc/matchwire:ro"]
    daemon = await engine.start("run", *mounted, *environ, container, "--", *command_of_image())
    try:
        async with asyncio.timeout(120):
            while not (found := re.search(rb"listens on (http://\S+)", await daemon.stdout.readline())):
                pass
        async with httpx.AsyncClient(base_url=found[1].decode(), trust_env=False) as client:
            answers = [(await client.get(path)).status_code for path in ("/readyz", "/livez", "/")]
        pid, user = process_of("/data")
        os.kill(pid, signal.SIGTERM)
        began = time.monotonic()
        await asyncio.wait_for(daemon.communicate(), 60)
    finally:
        if daemon.returncode is None:
            os.killpg(daemon.pid, signal.SIGKILL)

    assert ([200, 200, 200], USER, 0) == (answers, user, daemon.returncode)
    assert time.monotonic() - began < 20
    assert f"{USER}:{USER}" == image["User"]
    assert {"/data": {}} == image["Volumes"]
    assert "SIGTERM" == image["StopSignal"]
    assert "/livez" in " ".join(image["Healthcheck"]["Test"])
