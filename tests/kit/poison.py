"""Text that hurts where it is not escaped, and documents that no check would let in."""

import json

from sqlalchemy import text as sql

from tests.kit import matchday

XSS = (
    """<script>alert(1)</script><img src=x onerror=alert(1)>"'></textarea>]]><svg onload=alert(1)>javascript:alert(1)"""
)

DOCUMENTS = (
    {"contents": "not a list"},
    {"contents": [None, 5, "text", {"_type": 7}, {"_type": "Svc::Model::Content::Unheard"}]},
    {"contents": [{"_type": "Svc::Model::Content::RichTextContentBlock", "text": ["a", "list"]}]},
    {"sport_event": "goal", "headline": {"not": "text"}},
    {"sport_event": {"players": [None, {"player": 5}], "score": [], "team": "HAF", "title": None}},
    {
        "media": [{"local_id": {}}],
        "contents": [{"_type": "Svc::Model::Content::MultiMediaContentBlock", "items": [{}]}],
    },
    {"contents": [{"_type": "Svc::Model::Content::WebEmbedContentBlock", "url": "http://[half"}]},
    {"contents": [{"_type": "Svc::Model::Content::QuoteContentBlock", "text": "x", "source": "javascript:alert(1)"}]},
    {"headline": "\x00\x01\x08\x0b\x1f\ufffe\uffff bell"},
    {"headline": "lone \ud800 surrogate", "contents": [matchday.text("\udfff")]},
    {"headline": "]]> & <b> \u2028"},
    [],
    "text",
    None,
)


def events():
    return tuple(matchday.event(f"epoison{index}", matchday.KICK_OFF + index) for index in range(len(DOCUMENTS)))


def insert(unit):
    """A liveblog whose events say what no API call could have made them say, with times that no calendar has."""
    matchday.insert(
        matchday.Liveblog(local_id="gpoison", ticker_id="9d" * 12, events=(*events(), *matchday.afternoon())), unit
    )
    for index, document in enumerate(DOCUMENTS):
        unit.conn.execute(
            sql("UPDATE events SET doc = :doc, updated_at = :far WHERE local_id = :name"),
            {"doc": json.dumps(document), "far": 10**15, "name": f"epoison{index}"},
        )
    unit.conn.execute(sql("UPDATE events SET created_at = :far WHERE local_id = 'epoison0'"), {"far": -(10**15)})


def _file(local_id):
    texts = dict.fromkeys(("title", "credit", "description", "content_warning", "source_url"), XSS)
    return {"_type": "Svc::Model::Media", "local_id": local_id, "url": f"https://x.example/{XSS}", **texts}


def xss_liveblog():
    """A liveblog with markup and script in every text that it has."""
    team = {"_type": "Svc::Model::Team", "local_id": "t1", "name": XSS, "short_name": XSS[:3], "image": "javascript:x"}
    player = {"_type": "Svc::Model::Player", "name": XSS, "number": XSS, "position": XSS}
    score = {"home_score": XSS, "away_score": XSS, "title": XSS}
    document = matchday.document(
        meta_info={
            "_type": "Svc::Model::GameMetaInfo::TeamGameMetaInfo",
            "title": XSS,
            "home_team": team,
            "away_team": team,
            "tournament": {"name": XSS},
            "location": {"name": XSS},
        },
        scoreboard={"home_team": team, "away_team": team, "score": score, "scores": [score]},
        squads={"home": {"team": team, "lineup": [player], "bench": [player]}},
        locale=XSS,
        summary=XSS,
        tags=[XSS, {"name": XSS}],
        cover_image={**_file("mcover"), "subtype": "i"},
    )
    kinds = ["RichText", "Quote", "WebEmbed", "Emoji", "Poll", "Quiz", "PlayerCard", "Scoreboard", "MultiMedia"]
    media = {**_file("m1"), "subtype": "i"}
    block = {
        "text": XSS,
        "author": XSS,
        "source": XSS,
        "url": f"https://x.example/{XSS}",
        "emoji": XSS,
        "question": XSS,
        "options": [{"text": XSS}],
        "player": player,
        "scoreboard": {"home_team": team, "away_team": team, "score": score},
        "items": [{"media_local_id": "m1", "title": XSS, "credit": XSS, "content_warning": XSS}],
    }
    contents = [{"_type": f"Svc::Model::Content::{kind}ContentBlock", **block} for kind in kinds]
    happened = matchday.incident(XSS, XSS, XSS, side=team, people=((XSS, XSS),), score=score)
    event = matchday.event(
        "exss",
        matchday.KICK_OFF,
        headline=XSS,
        contents=contents,
        sport_event=happened,
        media=[media],
        editor=XSS,
        tags=[XSS],
    )
    bare = matchday.event("ebare", matchday.KICK_OFF, contents=contents, highlight=XSS)
    scored = matchday.incident("goal", XSS, XSS, side=team, people=((XSS, XSS),), score=score)
    goal = matchday.event("egoalxss", matchday.KICK_OFF, headline=XSS, contents=contents, sport_event=scored)
    return matchday.Liveblog(local_id="gxss", ticker_id="9e" * 12, document=document, events=(event, bare, goal))
