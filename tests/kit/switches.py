"""What is believed of a recorded match, answer by answer."""

from __future__ import annotations

from functools import cache

from mapping.confirm import ConfirmedMatch, confirm_answer
from mapping.parts import ALL_PARTS
from providers.heim.translate import translate
from tests.kit.scripted import BERLIN, NAMES, timeline
from tests.kit.second_source import as_second_source


@cache
def beliefs(path, seed=None, every=1):
    """What is believed after each version of a recording, of the first source or of the second one with that seed.

    `every`: so many versions are one step; the last one is there in any case.
    """
    match_id, versions = timeline(path)
    versions = [*versions[:-1:every], versions[-1]]
    believed: list[ConfirmedMatch] = []
    for bodies in versions:
        match = translate(match_id, bodies, zone=BERLIN, names=NAMES)
        own = match if seed is None else as_second_source(match, seed)
        believed.append(confirm_answer(believed[-1] if believed else None, own, good=ALL_PARTS))
    return [each.match for each in believed]
