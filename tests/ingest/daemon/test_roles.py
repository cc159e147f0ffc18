"""What each role of a process serves, and where there can be only one."""

import httpx
import pytest
from starlette.responses import PlainTextResponse

from config import Settings
from ingest.daemon.build import build_components
from ingest.kit.process import Role
from ingest.server.server import operations_only
from store.engine.errors import StoreError
from tests.kit.day import configuration


@pytest.mark.parametrize(("path", "status"), [("/livez", 200), ("/readyz", 200), ("/metrics", 200), ("/docs", 404)])
async def test_a_worker_answers_those_who_run_it_alone(path, status):
    """Whether it lives, whether it is ready, its numbers; nothing of the API."""
    app = operations_only(PlainTextResponse("well"))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://worker") as client:
        assert status == (await client.get(path)).status_code


@pytest.mark.parametrize("role", [Role.API, Role.WORKER])
async def test_a_sqlite_file_has_one_process_that_does_everything(tmp_path, role):
    """A role that needs other processes is refused before anything is build_components."""
    settings = Settings.model_validate(configuration("http://127.0.0.1:9", tmp_path))
    with pytest.raises(StoreError, match="PostgreSQL"):
        async with build_components(settings, role=role):
            pass

    assert [] == list(tmp_path.iterdir())


def test_who_works_and_who_serves():
    """Everything is done by one process or by the two halves together."""
    assert [(True, True), (False, True), (True, False)] == [(role.works, role.serves) for role in Role]
