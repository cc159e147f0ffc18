"""Which template names are sports: any word, so that sports that nobody has listed yet work too."""

import re

_SPORT = re.compile(r"[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*")
_OBJECT_ID = re.compile(r"[0-9a-f]{24}")
LONGEST = 64


def is_sport(template_id: str) -> bool:
    """Whether the name can be a Sportstype, such as `american_football`; an ObjectId names a custom template."""
    return len(template_id) <= LONGEST and bool(_SPORT.fullmatch(template_id)) and not _OBJECT_ID.fullmatch(template_id)
