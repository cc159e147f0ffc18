"""Uploaded files in a bucket of S3, or of a storage with its API: gathered on the disk, then put whole in one request."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterable, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, BinaryIO

import obstore
from obstore.exceptions import BaseError
from obstore.store import S3Store

from store.engine import private_files
from store.files.storage import KEY, FileMissing, FoundFile, StoredFile, check_key, fill, storage_errors, unavailable

if TYPE_CHECKING:
    from obstore.store import S3Config, S3Credential


PUTS = 4
"""Files in memory at a time, on their way to the storage."""
PART = 33_554_432
"""Bytes of a file that go to the storage in one request; a larger one goes in several."""
RETRIES = 3
CODE = re.compile(r"<Code>(\w+)</Code>")
"""What the storage says is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Settings:
    """Where the bucket is, and how long a call of it may take (seconds, its retries included).

    `s3_endpoint`: None for that of AWS. Without `s3_access_key` credentials are those of the environment or the machine.
    """

    s3_bucket: str | None
    s3_endpoint: str | None
    s3_region: str
    s3_prefix: str
    s3_access_key: str | None
    s3_secret_key: str | None = field(repr=False)
    s3_timeout: float


class S3Files:
    """Files below a prefix of the bucket, which several processes may share. `folder`: where files under way are gathered."""

    def __init__(self, settings: S3Settings, folder: Path) -> None:
        self._bucket = _bucket(settings)
        self._timeout = settings.s3_timeout
        self._unfinished = folder / "unfinished"
        self._puts = asyncio.Semaphore(PUTS)

    async def put(self, key: str, chunks: AsyncIterable[bytes]) -> StoredFile:
        check_key(key)
        with storage_errors():
            file = await asyncio.to_thread(self._gathering)
        with file:
            stored = await fill(file, chunks)
            async with self._call(stored.bytes), self._puts:
                if stored.bytes > PART:
                    file.seek(0)
                    await obstore.put_async(
                        self._bucket, key, file, use_multipart=True, chunk_size=PART, max_concurrency=2
                    )
                else:
                    file.seek(0)
                    with storage_errors():
                        content = await asyncio.to_thread(file.read)
                    await obstore.put_async(self._bucket, key, content, use_multipart=False)
        return stored

    async def read(self, key: str, most: int, start: int = 0) -> bytes:
        check_key(key)
        content = bytearray()
        async with self._call():
            found = await obstore.get_async(self._bucket, key, options={"range": {"offset": start}} if start else None)
            async for chunk in found.stream(min_chunk_size=most):
                content += chunk
                if len(content) >= most:
                    break
        return bytes(content[:most])

    async def delete(self, key: str) -> None:
        check_key(key)
        async with self._call():
            await obstore.delete_async(self._bucket, key)

    async def keys(self, after: str, limit: int) -> list[FoundFile]:
        found: list[FoundFile] = []
        async with self._call():
            async for page in obstore.list(self._bucket, offset=after or None, chunk_size=limit):
                for entry in page:
                    if KEY.fullmatch(entry["path"]):
                        if entry["path"] <= (
                            found[-1].key if found else after
                        ):  # the purge takes what is left out for lost
                            raise unavailable("the storage lists files in no order")
                        found.append(FoundFile(entry["path"], entry["last_modified"].timestamp()))
                if len(found) >= limit:
                    break
        return found[:limit]

    async def discard_unfinished(self, before: float) -> None:
        """Nothing is left of those: what is gathered has no name, and the bucket never has half a file."""

    def _gathering(self) -> BinaryIO:
        self._unfinished.mkdir(mode=private_files.FOLDER, parents=True, exist_ok=True)
        return TemporaryFile(dir=self._unfinished)

    @asynccontextmanager
    async def _call(self, size: int = 0) -> AsyncIterator[None]:
        """A call of the storage: bounded in time, for each part that is stored anew, its errors those of the port."""
        try:
            async with asyncio.timeout(self._timeout * (1 + size // PART)):
                yield
        except (BaseError, FileNotFoundError, TimeoutError) as error:
            code = CODE.search(str(error))
            cause = code[1] if code else "it does not answer, or not as S3 does"
            if cause == "NoSuchKey":
                raise FileMissing("there is no such file") from None
            raise unavailable(cause) from None  # the text of the error names the key


def _bucket(settings: S3Settings) -> S3Store:
    config: S3Config = {"region": settings.s3_region, "disable_bulk_delete": True}
    if settings.s3_endpoint is not None:
        config["endpoint"] = settings.s3_endpoint
    access_key, secret_key = settings.s3_access_key, settings.s3_secret_key

    def credentials() -> S3Credential:
        return {"access_key_id": access_key or "", "secret_access_key": secret_key or "", "expires_at": None}

    return S3Store(
        settings.s3_bucket,
        prefix=settings.s3_prefix,
        config=config,
        client_options={
            "allow_http": (settings.s3_endpoint or "").startswith("http://"),
            "timeout": timedelta(seconds=settings.s3_timeout / 2),
        },
        retry_config={"max_retries": RETRIES, "retry_timeout": timedelta(seconds=settings.s3_timeout)},
        credential_provider=None if access_key is None else credentials,
    )
