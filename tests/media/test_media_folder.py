"""A folder for media that cannot be written: said before an upload fails for it."""

from __future__ import annotations

from tests.kit.probes import desk_at
from tests.kit.sqlite import migrated_url


async def test_readiness_names_a_media_folder_that_cannot_be_written(tmp_path):
    """The process stays ready, since without uploads and images it does all the rest; once it is mended nothing is said."""
    (tmp_path / "media").touch()
    async with desk_at(migrated_url(tmp_path / "folder.db"), tmp_path) as desk:
        answer = await desk.client.get("/readyz")
        assert (answer.status_code, answer.json().get("mediaFolder")) == (200, "unwritable")

        (tmp_path / "media").unlink()
        assert "mediaFolder" not in (await desk.client.get("/readyz")).json()
