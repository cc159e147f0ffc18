"""One complete wire document for each type: every field that its model knows, as a client would write it."""

from typing import Any

Json = dict[str, Any]
HEX = "5f0c1de2a1b2c3d4e5f60718"


def svc(kind: str, **fields: Any) -> Json:
    """An object of the type `Svc::Model::<kind>`; `id_` travels as `_id`."""
    return {"_type": f"Svc::Model::{kind}"} | {
        "_id" if name == "id_" else name: value for name, value in fields.items()
    }


DETAILS: Json = {
    "ext_id": "p-10", "name": "Ana Example", "short_name": "A. Example", "country": "HR", "number": "10",
    "team_member_since": 1341100800, "position": "midfield", "birthdate": -86400, "gender": "f", "height": 172,
    "weight": 66000, "about": "Captain", "facebook": "ana", "twitter": "ana", "instagram": "ana",
    "image": "https://img.example/ana.jpg",
}  # fmt: skip
OWNED: Json = {"owner_id": HEX, "sportstype": "soccer"}
LOOKS: Json = {
    "short_name": "CRO",
    "name_addition": "U21",
    "image": "imageservice://logo",
    "banner_image": "https://img.example/b.png",
}

PLAYER_DRAFT = svc("Player", **DETAILS, **OWNED, team_id=HEX)
PLAYER_UPDATE = svc("Player", id_=HEX, **DETAILS)
PLAYER = svc("Player", id_=HEX, local_id="pl-10", team_local_id="te-1", inactive=False, **DETAILS, **OWNED, team_id=HEX)
TEAM_DRAFT = svc("Team", name="Croatia", **OWNED, **LOOKS)
TEAM_UPDATE = svc("Team", id_=HEX, name="Croatia", **LOOKS)
TEAM = svc("Team", id_=HEX, local_id="te-1", name="Croatia", **OWNED, **LOOKS)
TOURNAMENT_DRAFT = svc("Tournament", name="World Cup", **OWNED)
TOURNAMENT_UPDATE = svc("Tournament", id_=HEX, name="World Cup 2018")
TOURNAMENT = svc("Tournament", id_=HEX, local_id="co-1", name="World Cup", **OWNED)
LOCATION = svc("Location", id_=HEX, local_id="lo-1", name="Stadium", city="Nizhny Novgorod", country="RU")
PRICING = svc("Pricing", id_=HEX, name="Standard")
TAG = svc("Tag", id_=HEX, name="derby")
HOME, AWAY = svc("Team", id_=HEX), svc("Team", name="Denmark")

SCORE = svc("Content::Scoreboard::ScoreboardScore", home_score="3", away_score="2", title="Shoot-out")
SETS = svc("Content::Scoreboard::ScoreboardScore", home_score="6", away_score="4", title="1")
TEAM_BOARD = svc("Content::Scoreboard::TeamGameScoreboard", home_team=HOME, away_team=AWAY, score=SCORE, scores=[SCORE])
SET_BOARD = svc(
    "Content::Scoreboard::SetBasedGameScoreboard",
    home_team=HOME,
    away_team=AWAY,
    score=SCORE,
    scores=[SETS],
    current_score=svc("Content::Scoreboard::ScoreboardScore", home_score="40", away_score="AD"),
    serving="away",
    winner="away",
)

BASIC_STATE = svc("GameStateInfo::BasicGameStateInfo", gamestate=1)
TIMED_STATE = svc(
    "GameStateInfo::TimeBasedGameStateInfo",
    timeout=False,
    check_time=1530446400,
    check_seconds=125,
    is_break=False,
    recurrence=2,
    gamestate=1,
    minute=48,
)
BASEBALL_STATE = svc("GameStateInfo::BaseballGameStateInfo", gamestate=1)
RANKED_ENTRY: Json = {
    "position": 1, "player": PLAYER, "team": TEAM, "time": "1:31.2", "gap": "+0.4", "status": "pit", "laps": 7,
}  # fmt: skip
RANKED_STATE = svc(
    "GameStateInfo::RankedGameStateInfo",
    gamestate=1,
    lap=12,
    total_laps=70,
    flag="yellow",
    timed=False,
    ranking=[RANKED_ENTRY],
)
TENNIS_STATE = svc("GameStateInfo::TennisGameStateInfo", gamestate=1, set=2, game=5, points=SCORE, serving="home")
SCORE_INFO = svc("ScoreInfo::TeamGameScoreInfo", home_score=3, away_score=2)

MEDIA = svc(
    "Media",
    local_id="m1",
    subtype="i",
    url="https://img.example/goal.jpg",
    local_status=0,
    duration_ms=0,
    width=1600,
    height=1200,
    created_at=1530446400,
    updated_at=1530446401,
    user_id="newsroom-cms",
    version=7,
    title="Goal",
    credit="Agency",
)
SHOWN: Json = {
    "media_local_id": "m1",
    "content_warning": "",
    "credit": "Agency",
    "title": "Goal",
    "source_url": "https://img.example/goal.jpg",
}
IMAGE, VIDEO = svc("Content::ImageMediaContent", **SHOWN), svc("Content::VideoMediaContent", **SHOWN)

CHOICE: Json = {"id": "o1", "text": "Yes", "correct": True}
RICH_TEXT = svc("Content::RichTextContentBlock", local_id="b1", text="<p>What a goal</p>")
MULTIMEDIA = svc("Content::MultiMediaContentBlock", local_id="b2", items=[IMAGE, VIDEO], display_type="slideshow")
EMBED = svc(
    "Content::WebEmbedContentBlock", local_id="b3", url="https://social.example/1", oembed_json='{"type":"rich"}'
)
QUOTE = svc("Content::QuoteContentBlock", local_id="b4", text="We believed", author="Coach", source="Radio")
EMOJI = svc("Content::EmojiContentBlock", local_id="b5", emoji="⚽", title="Goal")
PLAYER_CARD = svc("Content::PlayerCardContentBlock", local_id="b6", title="Man of the match", player=PLAYER)
SPORT_PLAYER = svc("Content::SportEventPlayer", event_player_type="scorer", event_player_title="Scorer", player=PLAYER)
PHASE = svc("Content::SportPhase", name="2nd half")
SPORT_EVENT = svc(
    "Content::SportEventContentBlock",
    local_id="b7",
    sportstype="soccer",
    time_of_play="90+3",
    event_type="soccer.goal",
    title="Goal",
    team=TEAM,
    players=[SPORT_PLAYER],
    phase=PHASE,
    score=SCORE,
)
BOARD_BLOCK = svc("Content::ScoreboardContentBlock", local_id="b8", scoreboard=SET_BOARD)
POLL = svc(
    "Content::PollContentBlock",
    local_id="b9",
    question="Who wins?",
    options=[CHOICE],
    multiple=False,
    closes_at=1530450000,
    closed=False,
    results="voted",
)
QUIZ = svc(
    "Content::QuizContentBlock",
    local_id="b0",
    question="When?",
    options=[CHOICE],
    multiple=False,
    closes_at=1530450000,
    closed=True,
    results="always",
    correct_option_id="o1",
    explanation="Then",
)
BLOCKS = [RICH_TEXT, MULTIMEDIA, EMBED, QUOTE, EMOJI, PLAYER_CARD, SPORT_EVENT, BOARD_BLOCK, POLL, QUIZ]

EVENT_INFO = svc(
    "EventInfo::BasicEventInfo",
    title="Goal",
    event_type=1,
    event_reason=0,
    is_home_team=True,
    player=PLAYER,
    other_player=PLAYER,
    attributes_json='{"text": "Goal"}',
    web_embed_urls=["https://social.example/1"],
)
EVENT = svc(
    "Event",
    local_id="e1",
    local_status=0,
    sort="000000005b38c980-1",
    user_id="newsroom-cms",
    version=8,
    created_at=1530446400,
    updated_at=1530446460,
    publish_at=1530446400,
    headline="It is over",
    highlight="milestone",
    contents=BLOCKS,
    sport_event=SPORT_EVENT,
    media=[MEDIA],
    tag_ids=[HEX],
    editor=svc("Editor", _id="newsroom-cms", name="newsroom-cms"),
    comments=svc("EventComments", channel_id="e1", count=2),
    is_sticky=False,
    state_info=TIMED_STATE,
    event_info=EVENT_INFO,
)
