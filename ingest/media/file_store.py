"""The storage of uploads that is configured; what one of S3 needs is loaded for it alone."""

from __future__ import annotations

from pathlib import Path

from config.errors import StartError
from config.sections import MediaConfig
from store.files.disk import DiskFiles
from store.files.port import FileStore


def file_store(media: MediaConfig) -> FileStore:
    """The storage of uploads. Raises StartError where the extra for it is not installed."""
    folder = Path(media.folder)
    if media.storage == "disk":
        return DiskFiles(folder)
    try:
        from store.files.s3 import S3Files, S3Settings
    except ModuleNotFoundError as error:
        raise StartError('media.storage: "s3" needs the extra s3: pip install "matchwire[s3]"') from error
    secret_key = media.s3_secret_key
    settings = S3Settings(
        s3_bucket=media.s3_bucket,
        s3_endpoint=media.s3_endpoint,
        s3_region=media.s3_region,
        s3_prefix=media.s3_prefix,
        s3_access_key=media.s3_access_key,
        s3_secret_key=None if secret_key is None else secret_key.get_secret_value(),
        s3_timeout=media.s3_timeout,
    )
    return S3Files(settings, folder)
