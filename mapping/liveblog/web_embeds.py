"""Providers whose content posts embed: recognised by the address, shown in a frame of the provider's own."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import cos, radians
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

WIDE, TALL = (16, 9), (9, 16)
POST, MAP, SOUND = (550, 620), (4, 3), (600, 352)
MAP_WIDTH, MAP_HEIGHT = 640, 480
TILE = 256
SECONDS = re.compile(r"(?:(\d{1,3})h)?(?:(\d{1,4})m)?(?:(\d{1,6})s?)?")


class WebEmbed(NamedTuple):
    """What a frame loads after consent; `size`: its aspect ratio as (width, height). `video`: something is played there."""

    provider: str
    frame: str
    size: tuple[int, int]
    video: bool = False

    @property
    def host(self) -> str:
        """Who hears of the reader."""
        return urlsplit(self.frame).netloc


class EmbedAddress(NamedTuple):
    """The parts of an address by which providers name their contents."""

    url: str
    host: str
    path: str
    query: dict[str, str]
    fragment: str


def _youtube(address: EmbedAddress) -> WebEmbed | None:
    if address.host == "youtu.be":
        found = re.fullmatch(r"/([A-Za-z0-9_-]{11})/?", address.path)
    else:
        path = f"/v/{address.query.get('v', '')}" if address.path in {"/watch", "/watch/"} else address.path
        found = re.fullmatch(r"/(?:v|shorts|live|embed)/([A-Za-z0-9_-]{11})/?", path)
    if not found:
        return None
    start = _seconds(address.query.get("t") or address.query.get("start", ""))
    frame = f"https://www.youtube-nocookie.com/embed/{found[1]}{f'?start={start}' if start else ''}"
    return WebEmbed("YouTube", frame, TALL if address.path.startswith("/shorts/") else WIDE, video=True)


def _seconds(text: str) -> int:
    """The seconds in `90`, `90s` or `1h2m3s`; 0 for anything else."""
    found = SECONDS.fullmatch(text)
    hours, minutes, seconds = (int(each or 0) for each in found.groups()) if found else (0, 0, 0)
    return hours * 3600 + minutes * 60 + seconds


def _vimeo(address: EmbedAddress) -> WebEmbed | None:
    found = re.fullmatch(
        r"/(?:video/|channels/[\w.-]{1,80}/|groups/[\w.-]{1,80}/videos/)?(\d{1,15})(?:/([0-9a-f]{4,20}))?/?",
        address.path,
    )
    if not found:
        return None
    secret = found[2] or address.query.get("h", "")
    unlisted = f"&h={secret}" if re.fullmatch("[0-9a-f]{4,20}", secret) else ""
    return WebEmbed("Vimeo", f"https://player.vimeo.com/video/{found[1]}?dnt=1{unlisted}", WIDE, video=True)


def _dailymotion(address: EmbedAddress) -> WebEmbed | None:
    found = re.fullmatch(r"/(?:video/|embed/video/)?([a-zA-Z0-9]{6,12})/?", address.path)
    frame = f"https://geo.dailymotion.com/player.html?video={found[1]}" if found else ""
    return WebEmbed("Dailymotion", frame, WIDE, video=True) if found else None


def _x(address: EmbedAddress) -> WebEmbed | None:
    found = re.fullmatch(r"/(?:\w{1,30}|i/web)/status(?:es)?/(\d{1,25})(?:/.*)?", address.path)
    frame = f"https://platform.twitter.com/embed/Tweet.html?id={found[1]}&dnt=true" if found else ""
    return WebEmbed("X", frame, POST) if found else None


def _instagram(address: EmbedAddress) -> WebEmbed | None:
    found = re.fullmatch(r"/(?:[\w.]{1,40}/)?(p|tv|reel)(?:(?<=reel)s)?/([\w-]{5,40})/?", address.path)
    frame = f"https://www.instagram.com/{found[1]}/{found[2]}/embed/" if found else ""
    return WebEmbed("Instagram", frame, POST) if found else None


def _tiktok(address: EmbedAddress) -> WebEmbed | None:
    found = re.fullmatch(r"/(?:@[\w.-]{1,40}/video|embed(?:/v2)?|player/v1)/(\d{5,25})/?", address.path)
    frame = f"https://www.tiktok.com/player/v1/{found[1]}" if found else ""
    return WebEmbed("TikTok", frame, TALL, video=True) if found else None


def _facebook(address: EmbedAddress) -> WebEmbed | None:
    video = re.fullmatch(
        r"/(?:[\w.-]{1,80}/videos/(?:[\w.-]{1,200}/)?\d{5,25}|watch(?:/live)?|reel/\d{5,25})/?", address.path
    )
    post = re.fullmatch(
        r"/(?:[\w.-]{1,80}/posts/[\w.:-]{1,200}|permalink\.php|photo(?:\.php)?|[\w.-]{1,80}/photos/.+)/?", address.path
    )
    if not (video or post):
        return None
    plugin = "video" if video else "post"
    frame = f"https://www.facebook.com/plugins/{plugin}.php?{urlencode({'href': address.url})}"
    return WebEmbed("Facebook", frame, WIDE if video else POST, video=video is not None)


def _spotify(address: EmbedAddress) -> WebEmbed | None:
    found = re.fullmatch(
        r"/(?:intl-[a-z]{2}/|embed/)?(track|album|playlist|episode|show)/([a-zA-Z0-9]{10,40})/?", address.path
    )
    return WebEmbed("Spotify", f"https://open.spotify.com/embed/{found[1]}/{found[2]}", SOUND) if found else None


def _soundcloud(address: EmbedAddress) -> WebEmbed | None:
    if not re.fullmatch(r"/[\w-]{1,80}/(?:sets/)?[\w-]{1,200}/?", address.path):
        return None
    return WebEmbed("SoundCloud", f"https://w.soundcloud.com/player/?{urlencode({'url': address.url})}", SOUND)


def _openstreetmap(address: EmbedAddress) -> WebEmbed | None:
    place = re.search(r"map=(\d{1,2})/(-?\d{1,2}(?:\.\d+)?)/(-?\d{1,3}(?:\.\d+)?)", address.fragment)
    if not place:
        return None
    zoom, latitude, longitude = int(place[1]), float(place[2]), float(place[3])
    pixel = 360 / (TILE * 2**zoom)
    wide, high = pixel * MAP_WIDTH / 2, pixel * MAP_HEIGHT / 2 * cos(radians(latitude))
    box = (longitude - wide, latitude - high, longitude + wide, latitude + high)
    marks = (
        {"marker": f"{address.query['mlat']},{address.query['mlon']}"}
        if {"mlat", "mlon"} <= address.query.keys()
        else {}
    )
    query = urlencode({"bbox": ",".join(f"{each:.5f}" for each in box), "layer": "mapnik", **marks})
    return WebEmbed("OpenStreetMap", f"https://www.openstreetmap.org/export/embed.html?{query}", MAP)


def _google_maps(address: EmbedAddress) -> WebEmbed | None:
    if address.path == "/maps/embed" and "pb" in address.query:
        return WebEmbed(
            "Google Maps", f"https://www.google.com/maps/embed?{urlencode({'pb': address.query['pb']})}", MAP
        )
    place = re.match(r"/maps/(?:place/([^/]{1,200})/)?@(-?\d{1,2}\.\d+),(-?\d{1,3}\.\d+),(\d{1,2})", address.path)
    if not place:
        return None
    query = urlencode({"q": f"{place[2]},{place[3]}", "z": place[4], "output": "embed"})
    return WebEmbed("Google Maps", f"https://www.google.com/maps?{query}", MAP)


@dataclass(frozen=True, slots=True)
class EmbedProvider:
    """Hosts of the addresses that people copy, and of the frames; `recognise` gives None for what cannot be embedded."""

    hosts: tuple[str, ...]
    frame_host: str
    recognise: Callable[[EmbedAddress], WebEmbed | None]


PROVIDERS = (
    EmbedProvider(("youtube.com", "youtu.be", "youtube-nocookie.com"), "www.youtube-nocookie.com", _youtube),
    EmbedProvider(("vimeo.com", "player.vimeo.com"), "player.vimeo.com", _vimeo),
    EmbedProvider(("dailymotion.com", "dai.ly"), "geo.dailymotion.com", _dailymotion),
    EmbedProvider(("x.com", "twitter.com"), "platform.twitter.com", _x),
    EmbedProvider(("instagram.com",), "www.instagram.com", _instagram),
    EmbedProvider(("tiktok.com",), "www.tiktok.com", _tiktok),
    EmbedProvider(("facebook.com",), "www.facebook.com", _facebook),
    EmbedProvider(("open.spotify.com",), "open.spotify.com", _spotify),
    EmbedProvider(("soundcloud.com",), "w.soundcloud.com", _soundcloud),
    EmbedProvider(("openstreetmap.org",), "www.openstreetmap.org", _openstreetmap),
    EmbedProvider(("google.com",), "www.google.com", _google_maps),
)
FRAME_HOSTS = tuple(each.frame_host for each in PROVIDERS)
"""Whose frames a page may show."""
_BY_HOST = {host: each for each in PROVIDERS for host in each.hosts}
_SPOKEN = ("www.", "m.", "mobile.")
"""What stands before a provider's host without meaning another one."""


def web_embed(url: str) -> WebEmbed | None:
    """The content of a known provider that has this address; None for any other address."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").casefold()
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or parts.username is not None or port is not None:
        return None
    for prefix in _SPOKEN:
        host = host.removeprefix(prefix)
    provider = _BY_HOST.get(host)
    if provider is None:
        return None
    query = dict(parse_qsl(parts.query, max_num_fields=50)) if parts.query.count("&") < 50 else {}
    return provider.recognise(EmbedAddress(url, host, quote(parts.path, safe="/@.,:-_~%!+"), query, parts.fragment))
