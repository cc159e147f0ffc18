"""The wheel is whole: from an empty folder, with nothing of the sources in reach, it makes a configuration, runs and serves."""

import asyncio
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import httpx
import pytest

from tests.kit.terminal import fresh_folder, plain_environment, terminal

pytestmark = pytest.mark.proof

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
set -eu
export PATH="$PWD/.venv/bin:$PATH"
matchwire --version
python -c 'import ingest; print("package", ingest.__file__)'
mkdir empty
cd empty
matchwire init newsroom
cd newsroom
matchwire check-config
matchwire run
"""


def built(folder):
    """The wheel's content, unpacked."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "dist")]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = (folder / "dist").glob("matchwire-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "package")
    return folder / "package"


async def test_the_wheel_runs_from_an_empty_folder():
    """It has its version, templates, styles, translations and schema with it."""

    def played():
        with fresh_folder() as folder:
            package = built(folder)
            environ = plain_environment(folder, PYTHONPATH=str(package), MATCHWIRE_SERVER__PORT="0")
            with terminal(folder, environ, SCRIPT) as daemon:
                address = f"http://{daemon.address()}"
                with httpx.Client(base_url=address, trust_env=False, verify=False) as http:
                    page = http.get("/", headers={"Accept-Language": "de"})
                    (style,) = re.findall(r'href="(static/[^"]+\.css)"', page.text)
                    found = [
                        http.get(path).status_code
                        for path in (f"/{style}", "/docs", "/openapi.json", "/readyz", "/desk/sign-in")
                    ]
                return daemon.log.read_text(), page.text, found, package

    said, page, found, package = await asyncio.to_thread(played)
    assert "matchwire 0.1.0" in said
    assert f"package {package}" in said
    assert 'lang="de"' in page
    assert found == [200, 200, 200, 200, 200]
