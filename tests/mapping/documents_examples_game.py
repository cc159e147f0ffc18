"""One complete wire document for the liveblog, its modifications and its connection to a provider."""

from tests.mapping.documents_examples import (
    AWAY,
    EVENT,
    HEX,
    HOME,
    LOCATION,
    PLAYER,
    PRICING,
    SCORE_INFO,
    TAG,
    TEAM,
    TEAM_BOARD,
    TENNIS_STATE,
    TIMED_STATE,
    TOURNAMENT,
    Json,
    svc,
)

RULES: Json = {"editorial_publishing": False, "allow_comments": True, "starts_at": 1530446400}
TITLE_META = svc("GameMetaInfo::TitleGameMetaInfo", title="Transfer day", **RULES)
TEAM_META = svc(
    "GameMetaInfo::TeamGameMetaInfo",
    title="Croatia v Denmark",
    home_team=HOME,
    away_team=AWAY,
    tournament=TOURNAMENT,
    location=LOCATION,
    **RULES,
)
BASIC_OPTIONS = svc("Options::BasicGameOptions")
TIMED_OPTIONS = svc(
    "Options::TimedGameOptions",
    timing_type="aui",
    regular_phase_length=45,
    num_regular_phases=2,
    overtime_phase_length=15,
    num_overtime_phases=2,
)
PERMISSION = svc("SharedPermission", permission="w", reftype="Organization", refid=HEX)
MARKETPLACE = svc(
    "MarketplaceInfo::BasicMarketplaceInfo", pricing=PRICING, detail="All matches", cover_image="https://img.example/c"
)
SQUAD = svc("Squad", team=TEAM, lineup=[PLAYER], bench=[PLAYER])
SQUADS: Json = svc("Squads", home=SQUAD, away=SQUAD)
ORGANIZATION = svc("Organization", id_=HEX, name="Example Newsroom")
TEMPLATE = svc("CustomTemplate", id_=HEX, name="Cup night", sportstype="soccer")
GAME_DRAFT = svc(
    "Game",
    marketplace_info=MARKETPLACE,
    organization_id=HEX,
    template_id="soccer",
    meta_info=TEAM_META,
    scoreboard=TEAM_BOARD,
    options=TIMED_OPTIONS,
    tags=["cup", TAG],
    external_id="final",
    external_url="https://news.example/final",
    use_syndication_controls=True,
    locale="en-gb",
    permissions=[PERMISSION],
)

AUTO_POST: Json = {"excludeScoreboard": True, "excludeEvents": ["soccer.yellow-card"]}
REQUEST: Json = {
    "provider": "heim", "matchId": "1", "phaseId": "2", "overallId": "3", "title": "Final", "locale": "de",
    "includeTextContent": True, "autoPostEnabled": True, "autoPostConfiguration": AUTO_POST,
}  # fmt: skip
SELECTOR: Json = svc("ExternalSelector", matchId="1", phaseId="2", overallId="3")
EXTERNAL_AUTO_POST: Json = svc("ExternalAutoPost", enabled=True, includeTextContent=False, **AUTO_POST)
HEALTH: Json = svc("FeedHealth", lastGood=1530446400, lastChange=1530446395, failures=2, skipped=1)
PREVIEW: Json = {
    "provider": "heim", "selector": SELECTOR, "sportstype": "soccer", "title": "FC Rostal – SV Nordhafen", "competition": "Cup",
    "location": "Stadion", "homeTeam": "FC Rostal", "awayTeam": "SV Nordhafen", "homeScore": "2", "awayScore": "1",
    "startsAt": 1530446400, "status": "live", "scoreboard": True, "lineUps": 22, "events": 9, "textContent": True,
    "liveblogs": ["final"],
}  # fmt: skip
EXTERNAL: Json = svc(
    "External",
    provider="heim",
    selector=SELECTOR,
    autoPost=EXTERNAL_AUTO_POST,
    locale="de",
    paused=False,
    status="live",
    feedHealth={"match": HEALTH, "match-event": HEALTH},
)
STANDBY: Json = {"provider": "pa", "matchId": "4553194"}
SOURCE_OF_MATCH: Json = {
    **STANDBY,
    "status": "live",
    "leads": True,
    "reason": "silent",
    "since": 1530446400,
    "lastGood": 1530446460,
    "trouble": "failing",
}
DISAGREEMENT: Json = {"about": "score", "since": 1530446400, "said": {"heim": "2:0", "pa": "1:0"}}
CHANGE: Json = {name: REQUEST[name] for name in REQUEST if name.startswith(("auto", "include", "locale"))} | {
    "paused": True, "withdrawn": "silent", "confirm": "two", "standby": [STANDBY], "leads": "pa", "provider": "heim",
}  # fmt: skip
ATTACH: Json = {name: REQUEST[name] for name in ("provider", "matchId", "phaseId", "overallId")} | CHANGE
SOURCE: Json = (
    {name: value for name, value in CHANGE.items() if name != "standby"}
    | {"version": 3, "sources": [SOURCE_OF_MATCH], "disagreements": [DISAGREEMENT]}
    | {name: EXTERNAL[name] for name in ("provider", "selector", "status", "feedHealth")}
)
REF = svc("LocalRef", local_id="e1", version=8, local_status=0, sort="000000005b38c980-1", created_at=1530446400)
SUMMARY = svc(
    "GameSummary",
    first_event=REF,
    last_event=REF,
    milestones=svc("LocalRefList", local_id="milestones", version="8", refs=[REF]),
    goals=svc("LocalRefList", local_id="goals", version="0", refs=[]),
    players=[svc("LocalRefList", local_id="p1", version="8", refs=[REF])],
    event_cnt=1,
    image_cnt=1,
    video_cnt=0,
    comment_channel_cnt=1,
)
GAME = GAME_DRAFT | {
    "_id": HEX, "local_id": "g1", "ticker_id": HEX, "version": 8, "local_status": 0, "created_at": 1530440000,
    "updated_at": 1530446460, "sportstype": "soccer", "summary": SUMMARY, "summary_text": "Croatia v Denmark 3:2",
    "owner": ORGANIZATION, "editors": [svc("Editor", _id="newsroom-cms", name="newsroom-cms")],
    "marketplace_info": MARKETPLACE, "custom_template": TEMPLATE, "state_info": TIMED_STATE, "squads": SQUADS,
    "external": EXTERNAL, "events": [EVENT],
}  # fmt: skip
COLLECTION = svc("Collection", objects=[TEAM], total=31, total_exact=True, page=2, limit=30, more=False)

MODIFICATIONS = [
    svc(
        "Modification::UpdateGameMetaInfoModification",
        sportstype="news",
        meta_info=TITLE_META,
        locale="de",
        external_url="https://news.example/final",
        tags=["cup"],
    ),
    svc("Modification::UpdateGameMarketplaceInfoModification", marketplace_info=MARKETPLACE),
    svc("Modification::UpsertScoreboardModification", scoreboard=TEAM_BOARD),
    svc("Modification::UpdateGameStateModification", state_info=TENNIS_STATE),
    svc("Modification::UpdateGameOptionsModification", options=TIMED_OPTIONS),
    svc("Modification::UpdateGameScoreInfoModification", score_info=SCORE_INFO),
    svc("Modification::DeleteGameModification", local_status=100),
    svc("Modification::UpsertPermissionModification", permission=PERMISSION),
    svc("Modification::DeletePermissionModification", refid=HEX),
]
POST_MODIFICATIONS: Json = {"local_id": "g1", "ticker_local_id": "g1", "ticker_id": HEX, "modifications": MODIFICATIONS}
