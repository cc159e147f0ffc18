"""Uploads in the store."""

from store.engine.liveblog_records import new_key
from store.media import uploads
from tests.store.conftest import ORGANIZATION

OLD = 1_000


def upload(**fields):
    return uploads.Upload(
        **{
            "key": new_key(),
            "organization_id": ORGANIZATION,
            "client_id": "desk",
            "subtype": "i",
            "content_type": "image/jpeg",
            "digest": "0" * 64,
            "bytes": 3,
            "width": 4,
            "height": 3,
            "created_at": OLD,
            **fields,
        }
    )


async def kept(store, **fields):
    made = upload(**fields)
    await store.write(lambda unit: uploads.create(unit, made))
    return made
