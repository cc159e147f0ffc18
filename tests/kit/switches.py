"""What is believed of a recorded match, answer by answer."""

from __future__ import annotations

from functools import cache

from mapping.belief.confirm import ConfirmedMatch, confirm_answer
from mapping.match.parts import ALL_PARTS
from providers.heim.translate import translate
from tests.kit.scripted import BERLIN, NAMES, timeline


@cache
def beliefs(path):
    """What is believed after each version of a recording."""
    match_id, versions = timeline(path)
    believed: list[ConfirmedMatch] = []
    for bodies in versions:
        match = translate(match_id, bodies, zone=BERLIN, names=NAMES)
        believed.append(confirm_answer(believed[-1] if believed else None, match, good=ALL_PARTS))
    return [each.match for each in believed]
