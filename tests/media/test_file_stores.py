"""Storages of uploaded files: whole or not there, private, found in order, the disk and a bucket of S3 alike."""

import asyncio
import errno
import hashlib
import os
import stat
import time
from pathlib import Path

import pytest

from store.engine.liveblog_records import new_key
from store.files.disk import DiskFiles
from store.files.storage import FileMissing, StorageUnavailable

BODY = os.urandom(300_000)


async def chunks(*parts, fails=None):
    for part in parts:
        yield part
    if fails is not None:
        raise fails


@pytest.fixture
def disk(tmp_path):
    return DiskFiles(tmp_path / "media")


@pytest.fixture(params=["disk", pytest.param("s3", marks=pytest.mark.proof)])
def files(request, tmp_path):
    folder = tmp_path / "media"
    return DiskFiles(folder) if request.param == "disk" else request.getfixturevalue("s3").files(folder)


def everything(folder):
    return sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file())


async def test_a_file_comes_back_as_it_was_stored(files):
    """Its size and digest are those of the bytes; it is read whole, or its first bytes alone."""
    key = new_key()
    stored = await files.put(key, chunks(BODY[:1000], BODY[1000:]))

    assert stored == (len(BODY), hashlib.sha256(BODY).hexdigest())
    assert await files.read(key, len(BODY) + 1) == BODY
    assert await files.read(key, 10) == BODY[:10]
    assert await files.read(key, 10, 1000) == BODY[1000:1010]
    assert await files.read(key, 1000, len(BODY) - 10) == BODY[-10:]
    await files.put(empty := new_key(), chunks())
    assert await files.read(empty, 10) == b""


@pytest.mark.proof
async def test_a_large_file_goes_to_the_bucket_in_parts(s3, tmp_path, monkeypatch):
    """It comes back whole, and from any place on."""
    from store.files import s3 as module

    monkeypatch.setattr(module, "PART", 5 << 20)
    files, key, body = s3.files(tmp_path / "media"), new_key(), BODY * 40
    stored = await files.put(key, chunks(body[:-5], body[-5:]))

    assert stored == (len(body), hashlib.sha256(body).hexdigest())
    assert await files.read(key, len(body) + 1) == body
    assert await files.read(key, 7, len(body) - 7) == body[-7:]


async def test_files_are_private(disk, tmp_path):
    """Nobody but owner and group reads them, whatever the umask says."""
    before = os.umask(0)
    try:
        await disk.put(new_key(), chunks(BODY))
    finally:
        os.umask(before)

    modes = {stat.S_IMODE(path.stat().st_mode) & 0o027 for path in (tmp_path / "media").rglob("*")}
    assert modes == {0}


@pytest.mark.parametrize("fails", [ValueError("broken off"), asyncio.CancelledError()])
async def test_nothing_is_left_of_a_file_that_broke_off(files, tmp_path, fails):
    """Neither under its key nor as a part of one."""
    key = new_key()
    with pytest.raises(type(fails)):
        await files.put(key, chunks(BODY, fails=fails))

    assert everything(tmp_path) == []
    assert await files.keys("", 10) == []
    with pytest.raises(FileMissing):
        await files.read(key, 1)


async def test_a_file_is_there_once_it_is_whole(files):
    """While it comes it is neither read nor listed; its age is that of its end."""
    key, seen = new_key(), []

    async def slowly():
        yield BODY
        with pytest.raises(FileMissing):
            await files.read(key, 1)
        seen.append(await files.keys("", 10))
        yield BODY

    before = time.time()
    await files.put(key, slowly())

    assert seen == [[]]
    assert await files.read(key, 1_000_000) == BODY + BODY
    ((found, stored_at),) = await files.keys("", 10)
    assert found == key
    assert before - 2 < stored_at < time.time() + 2


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
async def test_a_full_disk_is_a_storage_that_may_work_later(disk, tmp_path, monkeypatch, code):
    """The error is one that clients retry, and nothing is left behind."""

    def full(_descriptor):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageUnavailable) as raised:
        await disk.put(new_key(), chunks(BODY))

    assert raised.value.retryable
    assert everything(tmp_path) == []


@pytest.mark.parametrize("key", ["", "../../etc/passwd", "a" * 31, "a" * 33, "a" * 31 + "/", "a" * 31 + "\n", "." * 32])
async def test_what_is_no_key_is_never_part_of_a_path(files, key):
    """No method takes it."""
    for method in (files.read(key, 1), files.delete(key), files.put(key, chunks(BODY))):
        with pytest.raises(FileMissing):
            await method


async def test_files_are_listed_in_the_order_of_their_keys_page_by_page(files):
    """Each one once, whatever the size of a page; deleted ones are gone."""
    keys = [new_key() for _ in range(23)]
    for key in keys:
        await files.put(key, chunks(b"x"))
    await files.delete(keys.pop())
    await files.delete(new_key())

    found, after = [], ""
    while page := await files.keys(after, 5):
        found += [each.key for each in page]
        after = found[-1]

    assert found == sorted(keys)


async def test_what_a_dead_process_left_is_discarded_once_it_is_old(disk, tmp_path):
    """A part that is being written stays."""
    await disk.put(new_key(), chunks(b"x"))
    old, young = (tmp_path / "media" / "unfinished" / name for name in ("old", "young"))
    for path in (old, young):
        path.write_bytes(b"half")
    os.utime(old, (1, 1))

    await disk.discard_unfinished(1000)

    assert not old.exists()
    assert young.exists()
