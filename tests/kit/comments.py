"""Clients and liveblog of the tests of comments."""

from tests.kit import matchday
from tests.kit.matchday import ORGANIZATION

DESK = f"/api/comments/v1/organization/{ORGANIZATION}"
MODERATOR, STRANGER = ("moderator", matchday.SECRET), ("strange-moderator", matchday.SECRET)
DERBY = matchday.derby(meta_info={**matchday.document()["meta_info"], "allow_comments": True})

SECRET = "a-secret-of-the-newsroom-of-32-bytes"
