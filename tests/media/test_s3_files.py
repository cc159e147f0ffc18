"""A bucket that fails: every call ends in time with an error that clients retry, and no file is taken for lost."""

import asyncio

import pytest
from structlog.testing import capture_logs

from store.engine.liveblog_records import new_key
from store.files.storage import FileMissing, StorageUnavailable
from tests.kit.s3_server import SECRET_KEY, S3Server, answering

pytestmark = pytest.mark.proof

BODY = b"x" * 1000
HANGS = 60.0
"""Seconds after which a call counts as one that hangs."""
LISTING = "<ListBucketResult><IsTruncated>false</IsTruncated>{files}</ListBucketResult>"
FILE = (
    "<Contents><Key>uploads/{key}</Key><LastModified>2026-11-22T12:00:00.000Z</LastModified><Size>1</Size></Contents>"
)


async def chunks(*parts):
    for part in parts:
        yield part


def calls(files, key):
    """One call of each kind."""
    return {
        "put": lambda: files.put(key, chunks(BODY)),
        "read": lambda: files.read(key, 10),
        "delete": lambda: files.delete(key),
        "keys": lambda: files.keys("", 10),
    }


async def failures(files):
    """What each call raises, and the causes in the log; asserts that no call hangs."""
    raised = {}
    with capture_logs() as logged:
        for name, call in calls(files, new_key()).items():
            with pytest.raises((StorageUnavailable, FileMissing)) as caught:
                async with asyncio.timeout(HANGS):
                    await call()
            raised[name] = (type(caught.value), getattr(caught.value, "retryable", None))
    assert SECRET_KEY not in str(logged)
    return raised, {line["cause"] for line in logged}


UNAVAILABLE = dict.fromkeys(("put", "read", "delete", "keys"), (StorageUnavailable, True))


async def test_a_server_that_hangs_or_is_away_is_left_in_time(tmp_path):
    """Each call ends with an error that clients retry; so do those that wait for their turn."""
    async with answering() as hanging:
        files = hanging.files(tmp_path, s3_timeout=0.3)
        assert await failures(files) == (UNAVAILABLE, {"it does not answer, or not as S3 does"})
        async with asyncio.timeout(HANGS):
            puts = (files.put(new_key(), chunks(BODY)) for _ in range(40))
            results = await asyncio.gather(*puts, return_exceptions=True)
        assert {type(result) for result in results} == {StorageUnavailable}
    away = S3Server(hanging.endpoint, "uploads").files(tmp_path, s3_timeout=1.0)
    assert await failures(away) == (UNAVAILABLE, {"it does not answer, or not as S3 does"})


@pytest.mark.parametrize(
    ("status", "body", "cause"),
    [
        ("503 Slow Down", "<Error><Code>SlowDown</Code></Error>", "SlowDown"),
        ("404 Not Found", "<Error><Code>NoSuchBucket</Code></Error>", "NoSuchBucket"),
        ("404 Not Found", "<h1>Not Found</h1>", "it does not answer, or not as S3 does"),
        ("403 Forbidden", f"<Error><Code>AccessDenied</Code><Key>{SECRET_KEY}</Key></Error>", "AccessDenied"),
    ],
)
async def test_what_the_storage_refuses_is_no_lost_file(tmp_path, status, body, cause):
    """A bucket that is gone or closed, or a server that is none, is not a bucket without files; the log says what it is."""
    async with answering(status, body) as server:
        assert await failures(server.files(tmp_path, s3_timeout=1.0)) == (UNAVAILABLE, {cause})


def listing(*names):
    return LISTING.format(files="".join(FILE.format(key=name) for name in names))


async def test_a_listing_in_no_order_is_none(tmp_path):
    """The purge would take what it leaves out for lost."""
    for names in (["b" * 32, "a" * 32], ["a" * 32, "a" * 32]):
        async with answering("200 OK", listing(*names)) as server:
            with pytest.raises(StorageUnavailable):
                await server.files(tmp_path).keys("", 10)


async def test_what_is_no_upload_is_not_listed(tmp_path):
    """And does not make a page shorter or longer."""
    async with answering("200 OK", listing("Foreign", "a" * 32, "b" * 32, "c" * 32)) as server:
        found = await server.files(tmp_path).keys("", 2)
    assert [file.key for file in found] == ["a" * 32, "b" * 32]


async def test_no_more_is_read_than_is_wanted(tmp_path):
    """The rest of a file may be of any length, or never come; a whole one that is cut off is an error."""
    async with answering("200 OK", "x" * 1000, length=10**9) as server:
        files = server.files(tmp_path, s3_timeout=1.0)
        assert await files.read(new_key(), 10) == b"x" * 10
        with pytest.raises(StorageUnavailable):
            await files.read(new_key(), 2000)


async def test_a_redirect_carries_no_credentials(tmp_path):
    """The library follows those of reads; what it leads to is sent no signature, and a file is not put there."""
    seen, strangers = [], []
    async with answering("200 OK", "x" * 1000, seen=strangers) as stranger:
        location = f"307 Temporary Redirect\r\nLocation: {stranger.endpoint}/elsewhere"
        async with answering(location, seen=seen) as server:
            files = server.files(tmp_path, s3_timeout=1.0)
            await files.read(new_key(), 10)
            with pytest.raises(StorageUnavailable):
                await files.put(new_key(), chunks(BODY))
    assert all("authorization: AWS4" in head for head in seen)
    assert [head.split()[0] for head in strangers] == ["GET"]
    assert "authorization" not in strangers[0].lower()


async def test_a_full_disk_gathers_no_file(tmp_path, monkeypatch):
    """What cannot be gathered is refused before the bucket is called."""

    def full(**_):
        raise OSError(28, "No space left on device")

    files = S3Server("http://127.0.0.1:9", "uploads").files(tmp_path)
    monkeypatch.setattr("store.files.s3.TemporaryFile", full)
    with pytest.raises(StorageUnavailable):
        await files.put(new_key(), chunks(BODY))


@pytest.mark.proof
async def test_the_real_one_refuses_a_stranger_and_keeps_prefixes_apart(s3, tmp_path):
    """Another secret is refused; what others keep in the bucket is neither listed nor read."""
    key = new_key()
    await s3.files(tmp_path).put(key, chunks(BODY))

    raised, causes = await failures(s3.files(tmp_path, s3_secret_key="another"))
    assert (raised, causes) == (UNAVAILABLE, {"SignatureDoesNotMatch"})
    assert (await failures(s3.files(tmp_path, s3_bucket="no-such-bucket")))[0]["keys"] == (StorageUnavailable, True)
    for prefix in (s3.prefix + "-b", s3.prefix[:-1], s3.prefix + "/below"):
        other = s3.files(tmp_path, s3_prefix=prefix)
        assert await other.keys("", 10) == []
        with pytest.raises(FileMissing):
            await other.read(key, 10)
    assert [found.key for found in await s3.files(tmp_path).keys("", 10)] == [key]
