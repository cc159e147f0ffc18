"""The content of a post as readers see it: one headline and safe HTML, whatever the stored document holds."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

from api.http.json_path import Json, kind, node, nodes, text
from api.view.post_files import FilesHtml, block_files, host, post_files, safe_url
from mapping.liveblog.web_embeds import web_embed
from mapping.locales import translator
from mapping.locales.labels import SCORE, SCORE_CONTEXT
from mapping.posts.wording import distinguish_name, spoken_name
from mapping.rules.rich_text import isolate, plain, sanitise

Names = tuple[tuple[str, str], ...]
"""Surname and whole name of people."""

TITLE_LENGTH = 80
RICH_TEXT = "Svc::Model::Content::RichTextContentBlock"
_LETTER = "[a-zA-Z\N{LATIN CAPITAL LETTER A WITH GRAVE}-\N{LATIN SMALL LETTER Y WITH STROKE}]"
"""Latin alone: Chinese writes a name without spaces around it."""
_MINUTES = re.compile(r"\d+(\+\d+)?")
_SCORE = re.compile(r"\d+\s*[:\N{EN DASH}-]\s*\d+\b")


def minute(event: Json) -> str:
    """The time of play as it is read, such as `45+2'`; empty where the post has none."""
    time = text(event, "sport_event", "time_of_play")
    return f"{time}'" if _MINUTES.fullmatch(time) else time


def score(event: Json, locale: str) -> str:
    """The score that the post shows, such as `1:0`; empty where it shows none."""
    return tally(node(event, "sport_event", "score"), locale)


def incident(event: Json, locale: str) -> str:
    """What happened in the match, with the score where the post shows one: `Goal 1-0`."""
    kind_name = text(event, "sport_event", "event_type").rpartition(".")[2]
    title = text(event, "sport_event", "title") or kind_name.replace("-", " ").capitalize()
    shown = "" if _SCORE.search(title) else score(event, locale)
    return " ".join(filter(None, (title, shown)))


def is_milestone(event: Json) -> bool:
    return text(event, "highlight") == "milestone"


def as_read(event: Json) -> Json:
    """The post as readers see it: a headline is a milestone's; of any other post it is the text where that has nothing else."""
    head = text(event, "headline")
    if not head or is_milestone(event):
        return event
    said = incident(event, "en") or plain_text(event) or _first_block(event, "en", ())
    if said or players(event) or post_files(event):
        return {**event, "headline": ""}
    return {**event, "headline": "", "contents": [{"_type": RICH_TEXT, "text": escape(head, quote=False)}]}


def headline(event: Json, locale: str, squads: Names = ()) -> str:
    """The title of a post: a milestone's headline, else the incident with minute, player and team, else the text's first words.

    `squads`: whom the player is to be distinguished from.
    """
    event = as_read(event)
    if head := text(event, "headline"):
        return one_line(head)
    line = one_line(plain_text(event))
    if len(line) > TITLE_LENGTH:
        line = line[:TITLE_LENGTH].rpartition(" ")[0].rstrip(",;:.-") + " …"
    return one_line(_incident_line(event, locale, squads) or line or _first_block(event, locale, squads))


def _incident_line(event: Json, locale: str, squads: Names) -> str:
    """What happened, when and who did it; empty where the post names no incident."""
    happened = incident(event, locale)
    moment = " ".join(filter(None, (minute(event), happened)))
    return " – ".join(filter(None, (moment, _acting(event, squads)))) if happened else ""


def incident_blocks(event: Json) -> list[Json]:
    """The incidents that a post shows within its text."""
    return [each for each in nodes(event, "contents") if kind(each) == "SportEventContentBlock"]


def _first_block(event: Json, locale: str, squads: Names) -> str:
    """What the first incident or scoreboard within the post says."""
    shown = [_incident_line({"sport_event": each}, locale, squads) for each in incident_blocks(event)]
    blocks = nodes(event, "contents")
    boards = (_board_line(each, locale) for each in blocks if kind(each) == "ScoreboardContentBlock")
    return next(filter(None, (*shown, *boards, *map(_block_name, blocks))), "")


def _block_name(block: Json) -> str:
    """What a block says of itself that is no text: a poll asks, an emoji has a title, an embed is of somebody."""
    match kind(block):
        case "PollContentBlock" | "QuizContentBlock":
            return text(block, "question")
        case "EmojiContentBlock":
            return " ".join(filter(None, (text(block, "emoji"), text(block, "title"))))
        case "PlayerCardContentBlock":
            return " ".join(filter(None, (text(block, "title"), text(block, "player", "name"))))
        case "WebEmbedContentBlock" if url := safe_url(block.get("url")):
            return _site(url)
    return ""


def _site(url: str) -> str:
    """Whose page the address is of: the provider's name where we embed it, else the host."""
    found = web_embed(url)
    return found.provider if found else host(url)


def embedded_pages(event: Json) -> dict[str, str]:
    """The addresses of other sites' pages that the post embeds, in its order, each with the name of its site."""
    blocks = nodes(event, "contents")
    urls = [safe_url(each.get("url")) for each in blocks if kind(each) == "WebEmbedContentBlock"]
    return {url: _site(url) for url in urls if url}


def _acting(event: Json, squads: Names) -> str:
    """Who did it, as `Zambrano (Frankfurt)`; the team alone where the player is of the other one or not known."""
    team = short_name(node(event, "sport_event", "team"))
    player = player_name(next((node(each, "player") for each in nodes(event, "sport_event", "players")), {}), squads)
    if not player or (team and not _of_team(event)):
        return isolate(team)
    return f"{isolate(player)} ({isolate(team)})" if team and player != team else isolate(player)


def player_name(player: Json, squads: Names) -> str:
    """The surname of a player, distinguished from those of the others."""
    name = text(player, "name")
    return distinguish_name(short_name(player), name, [each for each in squads if each[1] != name])


def names_of(squads: Json) -> Names:
    """Surname and whole name of everybody in the squads of a liveblog."""
    people = (each for side in ("home", "away") for part in ("lineup", "bench") for each in nodes(squads, side, part))
    return tuple((short_name(each), text(each, "name")) for each in people)


def _of_team(event: Json) -> bool:
    """Whether nobody who took part is known to play for another team than the post's."""
    team = node(event, "sport_event", "team")
    players = [node(each, "player") for each in nodes(event, "sport_event", "players")]
    own = {("team_id", text(team, "_id")), ("team_local_id", text(team, "local_id"))}
    return all(text(each, name) in {"", identity} for each in players for name, identity in own if identity)


def short_name(named: Json) -> str:
    """The short name of a player or team, unless it is an abbreviation."""
    return spoken_name(text(named, "short_name"), text(named, "name"))


def players(event: Json) -> list[tuple[str, str]]:
    """Who took part, as (role, name); the role may be empty."""
    parts = nodes(event, "sport_event", "players")
    return [(text(each, "event_player_title"), name) for each in parts if (name := text(each, "player", "name"))]


def body_html(event: Json, locale: str, files: FilesHtml) -> str:
    """The post without its headline, as sanitised HTML; who took part is listed where the text does not name them."""
    blocks = (_block_html(each, event, locale, files) for each in nodes(event, "contents"))
    return "".join([_players_html(event), *blocks])


def plain_text(event: Json) -> str:
    """The texts and quotes of the post without markup."""
    blocks = nodes(event, "contents")
    parts = [plain(text(each, "text")) for each in blocks if kind(each) == "RichTextContentBlock"]
    parts += [text(each, "text") for each in blocks if kind(each) == "QuoteContentBlock"]
    return " ".join(filter(None, parts))


def one_line(value: str) -> str:
    return " ".join(value.split())


def tally(score: Json, locale: str) -> str:
    """A pair of scores as the language writes it, `1:0` or `1-0`; empty unless both are known."""
    home, away = text(score, "home_score"), text(score, "away_score")
    return translator(locale).text(SCORE, context=SCORE_CONTEXT, home=home, away=away) if home and away else ""


def _players_html(event: Json) -> str:
    """Who took part; empty where the text names everybody, or without anybody the team."""
    written = plain_text(event)
    people = [node(each, "player") for each in nodes(event, "sport_event", "players")]
    everybody = [each for each in people if text(each, "name")] or [node(event, "sport_event", "team")]
    if all(_names(written, each) for each in everybody):
        return ""
    named = [f"{escape(role)}: {_bdi(name)}" if role else _bdi(name) for role, name in players(event)]
    team = _bdi(text(event, "sport_event", "team", "name")) if _of_team(event) else ""
    line = " · ".join(filter(None, [team, *named]))
    return f'<p class="players">{line}</p>' if line else ""


def _bdi(name: str) -> str:
    return f"<bdi>{escape(name)}</bdi>" if name else ""


def _names(written: str, who: Json) -> bool:
    """Whether a text has the name, short name or surname of a player or team, as whole words in any case."""
    names = {text(who, "name"), text(who, "short_name"), text(who, "name").rpartition(" ")[2]} - {""}
    return any(re.search(f"(?<!{_LETTER}){re.escape(name)}(?!{_LETTER})", written, re.IGNORECASE) for name in names)


def _block_html(block: Json, event: Json, locale: str, files: FilesHtml) -> str:
    match kind(block):
        case "MultiMediaContentBlock":
            return files.files(block_files(block, event), slideshow=text(block, "display_type") == "slideshow")
        case "ScoreboardContentBlock":
            return _board(block, locale)
        case "SportEventContentBlock":
            return _incident(block, locale)
        case "PlayerCardContentBlock":
            return _player_card(block, files)
        case "WebEmbedContentBlock":
            return files.web_embed(url) if (url := safe_url(block.get("url"))) else ""
    return BLOCKS.get(kind(block), files.capability_block)(block)


def _rich_text(block: Json) -> str:
    inner = sanitise(text(block, "text"))
    return f'<div dir="auto">{inner}</div>' if inner else ""


def _quote(block: Json) -> str:
    quote = escape(text(block, "text"))
    author, source = text(block, "author"), text(block, "source")
    if url := safe_url(source):
        named = _bdi(author) if author else escape(host(url))
        cited = f'<a href="{escape(url)}" rel="nofollow noopener noreferrer">{named}</a>'
    else:
        cited = ", ".join(filter(None, [_bdi(author) if author else "", escape(source)]))
    footer = f"<footer>{cited}</footer>" if cited else ""
    return f'<blockquote dir="auto"><p dir="auto">{quote}</p>{footer}</blockquote>' if quote else ""


def _player_card(block: Json, files: FilesHtml) -> str:
    person = node(block, "player")
    line = " ".join(filter(None, [escape(text(person, "number")), _bdi(text(person, "name"))]))
    line = " ".join(filter(None, [f"<b>{escape(title)}</b>" if (title := text(block, "title")) else "", line]))
    return f'<p class="card">{files.portrait(text(person, "image"))}<span>{line}</span></p>' if line else ""


def _emoji(block: Json) -> str:
    """The emoji, large, and what it is called."""
    emoji, title = escape(text(block, "emoji")), escape(text(block, "title"))
    shown = [f"<span>{emoji}</span>" if emoji else "", f"<small>{title}</small>" if title else ""]
    return f'<p class="emoji">{" ".join(filter(None, shown))}</p>' if emoji or title else ""


def _incident(block: Json, locale: str) -> str:
    """An incident within the text: what and when in bold, then who."""
    event = {"sport_event": block}
    moment, acting = " ".join(filter(None, (minute(event), incident(event, locale)))), _acting(event, ())
    who = f" – {escape(acting)}" if acting else ""
    return f'<p class="incident"><strong>{escape(moment)}</strong>{who}</p>' if moment else ""


def _board(block: Json, locale: str) -> str:
    line, parts = _board_line(block, locale), nodes(block, "scoreboard", "scores")
    named = (f"{text(each, 'title')} {score}".strip() for each in parts if (score := tally(each, locale)))
    shown = " · ".join(filter(None, (line, *named)))
    return f'<p class="score">{escape(shown)}</p>' if line else ""


def _board_line(block: Json, locale: str) -> str:
    """Both teams with the score between them, as far as they are known."""
    home, away = (isolate(text(block, "scoreboard", f"{side}_team", "name")) for side in ("home", "away"))
    score = tally(node(block, "scoreboard", "score"), locale)
    return " ".join(filter(None, [home, score, away])) if score or (home and away) else ""


BLOCKS: dict[str, Callable[[Json], str]] = {
    "RichTextContentBlock": _rich_text,
    "QuoteContentBlock": _quote,
    "EmojiContentBlock": _emoji,
}
"""How each kind of content is shown; kinds not listed are a capability's, or not shown."""
