"""A match in the table of those that are followed."""

from store.following.sync import NewFollow
from tests.store.conftest import ORGANIZATION

MATCH = NewFollow(
    endpoint="heim:abc",
    provider="heim",
    organization_id=ORGANIZATION,
    match_id="8315073",
    sport="soccer",
    status="scheduled",
    kickoff=1_700_003_600,
    next_poll_at=1_700_000_000.25,
    hints={"competition": "co12"},
)
