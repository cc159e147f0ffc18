"""Every place of a document that may name an image."""

from dataclasses import dataclass, field
from typing import Any

from tests.kit import matchday
from tests.kit.event_desk import CONTENT, Desk, photo
from tests.kit.name_servers import Names

WRITE = "/api/v5/write"
OWNED = {"name": "SV Nah", "owner_id": matchday.ORGANIZATION, "sportstype": "soccer"}

GAME = {
    "_type": "Svc::Model::Game",
    "organization_id": matchday.ORGANIZATION,
    "template_id": "soccer",
    "meta_info": {
        "_type": "Svc::Model::GameMetaInfo::TeamGameMetaInfo",
        "home_team": {"_type": "Svc::Model::Team", "name": "SV Hafenstadt"},
        "away_team": {"_type": "Svc::Model::Team", "name": "Alpenverein Bergheim"},
        "starts_at": 1789995600,
    },
}

MODIFICATION = "Svc::Model::Modification"


@dataclass
class Places:
    """A desk that writes documents with addresses, and the names that are looked up for it."""

    desk: Desk
    names: Names
    made: dict[str, dict[str, Any]] = field(default_factory=dict)

    async def post(self, path, body, **params):
        return await self.desk.http.post(f"{WRITE}/{path}.json", json=body, params=params, auth=self.desk.auth)

    async def record(self, path, body, **params):
        """A record without addresses, made once."""
        if path not in self.made:
            answer = await self.post(path, body, **params)
            assert answer.status_code == 200, answer.text
            self.made[path] = answer.json()
        return self.made[path]

    async def event(self, body):
        return await self.post("event/create", body, ticker_local_id="gderby")

    async def event_update(self, body):
        event = await self.record(
            "event/create", {"contents": [{"_type": f"{CONTENT}::RichTextContentBlock", "text": "x"}]},
            ticker_local_id="gderby",
        )  # fmt: skip
        return await self.post("event/update", body, event_local_id=event["local_id"])

    async def master(self, kind, **fields):
        return await self.post(f"{kind}/create", {**OWNED, **fields})

    async def master_update(self, kind, **fields):
        known = await self.record(f"{kind}/create", OWNED)
        return await self.post(f"{kind}/update", {"_id": known["_id"], "name": OWNED["name"], **fields})

    async def modify(self, kind, **fields):
        change = {"_type": f"{MODIFICATION}::{kind}", **fields}
        return await self.post("ticker/post_modifications", {"local_id": "gderby", "modifications": [change]})


def with_image(**images):
    home = {**GAME["meta_info"]["home_team"], **images}
    return {**GAME["meta_info"], "home_team": home}


INFO = "Svc::Model::MarketplaceInfo::BasicMarketplaceInfo"

PLACES = {
    "source_url of a new post": (
        "contents.0.items.0.source_url", lambda at, url: at.event({"contents": [photo(url)]}),
    ),
    "source_url of a changed post": (
        "contents.0.items.0.source_url", lambda at, url: at.event_update({"contents": [photo(url)]}),
    ),
    "media of a new post": ("media.0.url", lambda at, url: at.event({"media": [{"url": url}]})),
    "media of a changed post": ("media.0.url", lambda at, url: at.event_update({"contents": [], "media": [{"url": url}]})),
    "image of a player of a post": (
        "sport_event.players.0.player.image",
        lambda at, url: at.event(
            {"sport_event": {"event_type": "soccer.goal", "players": [{"player": {"name": "Ole", "image": url}}]}}
        ),
    ),
    "cover_image of a new liveblog": (
        "marketplace_info.cover_image",
        lambda at, url: at.post("ticker/create", {**GAME, "marketplace_info": {"_type": INFO, "cover_image": url}}),
    ),
    "cover_image of a liveblog": (
        "modifications.0.marketplace_info.cover_image",
        lambda at, url: at.modify(
            "UpdateGameMarketplaceInfoModification", marketplace_info={"_type": INFO, "cover_image": url}
        ),
    ),
    "image of a team of a new liveblog": (
        "meta_info.home_team.image",
        lambda at, url: at.post("ticker/create", {**GAME, "meta_info": with_image(image=url)}),
    ),
    "banner_image of a team of a liveblog": (
        "modifications.0.meta_info.home_team.banner_image",
        lambda at, url: at.modify("UpdateGameMetaInfoModification", meta_info=with_image(banner_image=url)),
    ),
    "image of a new player": ("image", lambda at, url: at.master("player", image=url)),
    "image of a player": ("image", lambda at, url: at.master_update("player", image=url)),
    "image of a new team": ("image", lambda at, url: at.master("team", image=url)),
    "image of a team": ("image", lambda at, url: at.master_update("team", image=url)),
    "banner_image of a new team": ("banner_image", lambda at, url: at.master("team", banner_image=url)),
    "banner_image of a team": ("banner_image", lambda at, url: at.master_update("team", banner_image=url)),
}  # fmt: skip
"""Each place that takes an address: the path that an error names, and how it is sent."""
