"""The score that each form of a liveblog says."""

from __future__ import annotations

import re

SCORE = re.compile(r"(\d+)[-\u2013](\d+)")


def said(score):
    return int(score["home_score"]), int(score["away_score"])
