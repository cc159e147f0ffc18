"""The capability of readers' polls and quizzes."""

from __future__ import annotations

from api.http.capability import Capability, LiveBodies, PagePart, Purge
from api.http.routing import Route
from api.polls import endpoint as polls
from api.polls.poll_results import poll_block, poll_feed_block, results_of, with_results
from mapping.polls.reader_polls import PollResults
from store.polls import votes

# fmt: off
ROUTES = (
    Route("GET", polls.PATH, polls.show, "reader", polls.SHOW),
    Route("POST", f"{polls.PATH}/votes", polls.vote, "reader", polls.VOTE),
    Route("GET", polls.EXPORT_PATH, polls.export, "stats", polls.EXPORT),
)
# fmt: on

POLLS = Capability(
    name="polls",
    routes=ROUTES,
    page=PagePart(posts=with_results, block=poll_block, feed_block=poll_feed_block),
    live=LiveBodies("poll", PollResults, votes.changes, results_of),
    export=polls.export_polls,
    purges=(Purge("purge votes", "47 * * * *", lambda _settings, _now: (votes.purge,)),),
)
