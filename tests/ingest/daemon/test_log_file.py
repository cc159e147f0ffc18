"""The log's file: it may be renamed under the daemon, which goes on in a new one at a signal."""

import threading
from contextlib import closing

import pytest
from structlog.testing import capture_logs

from config import Settings
from ingest.daemon.reload import Reload
from ingest.telemetry.logs import LogFile


def test_a_rotated_log_loses_no_line(tmp_path):
    """Threads write all the time; each line is whole, and in the old file or in the new one."""
    path = tmp_path / "matchwire.log"
    with closing(LogFile(path)) as log:

        def write(who):
            for number in range(500):
                log.append(f"{who} {number}\n")

        writers = [threading.Thread(target=write, args=(who,)) for who in range(4)]
        for writer in writers:
            writer.start()
        for turn in range(5):
            path.rename(tmp_path / f"matchwire.log.{turn}")
            log.reopen()
        for writer in writers:
            writer.join()
        log.append("last\n")

    lines = [line for file in tmp_path.iterdir() for line in file.read_text().splitlines()]
    assert sorted(lines) == sorted(["last", *(f"{who} {number}" for who in range(4) for number in range(500))])
    assert path.read_text().endswith("last\n")
    assert path.stat().st_mode & 0o027 == 0


def test_a_hangup_opens_the_log_anew_or_goes_on_as_before(tmp_path):
    """A folder that is gone is reported, and the old file stays in use; the configuration is looked at all the same."""
    folder = tmp_path / "log"
    folder.mkdir()
    with closing(LogFile(folder / "matchwire.log")) as log, capture_logs() as said:
        reload = Reload(Settings(), read=Settings, place=lambda settings: settings, log_file=log)
        reload.hang_up()
        folder.rename(tmp_path / "moved")
        reload.hang_up()
        log.append("still here\n")

    assert [line["event"] for line in said] == [
        "log.reopened",
        "config.unchanged",
        "log.not_reopened",
        "config.unchanged",
    ]
    assert (tmp_path / "moved" / "matchwire.log").read_text() == "still here\n"
    with pytest.raises(OSError, match="No such file"):
        LogFile(folder / "matchwire.log")
