"""What is recognised as content of a provider: the addresses that people copy, and nothing that only looks like them."""

import re
from urllib.parse import urlsplit

import pytest

from mapping.liveblog.web_embeds import FRAME_HOSTS, web_embed

YOUTUBE = "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ"
KNOWN = {
    "https://www.youtube.com/watch?v=dQw4w9WgXcQ": YOUTUBE,
    "http://youtube.com/watch?app=desktop&v=dQw4w9WgXcQ&t=1m5s": f"{YOUTUBE}?start=65",
    "https://m.youtube.com/watch?v=dQw4w9WgXcQ&t=90": f"{YOUTUBE}?start=90",
    "https://youtu.be/dQw4w9WgXcQ?si=abc": YOUTUBE,
    "https://www.youtube.com/shorts/dQw4w9WgXcQ": YOUTUBE,
    "https://www.youtube.com/live/dQw4w9WgXcQ?feature=share": YOUTUBE,
    "https://vimeo.com/76979871": "https://player.vimeo.com/video/76979871?dnt=1",
    "https://vimeo.com/76979871/8272103f6e": "https://player.vimeo.com/video/76979871?dnt=1&h=8272103f6e",
    "https://vimeo.com/channels/staffpicks/76979871": "https://player.vimeo.com/video/76979871?dnt=1",
    "https://vimeo.com/groups/club.tv/videos/76979871": "https://player.vimeo.com/video/76979871?dnt=1",
    "https://www.dailymotion.com/video/x84sh87": "https://geo.dailymotion.com/player.html?video=x84sh87",
    "https://x.com/club/status/1577000000000000000?s=20": (
        "https://platform.twitter.com/embed/Tweet.html?id=1577000000000000000&dnt=true"
    ),
    "https://mobile.twitter.com/club/status/15/photo/1": "https://platform.twitter.com/embed/Tweet.html?id=15&dnt=true",
    "https://www.instagram.com/p/CfYbYz8s0Xa/?igsh=x": "https://www.instagram.com/p/CfYbYz8s0Xa/embed/",
    "https://www.instagram.com/reels/CfYbYz8s0Xa/": "https://www.instagram.com/reel/CfYbYz8s0Xa/embed/",
    "https://www.instagram.com/club/reel/CfYbYz8s0Xa/": "https://www.instagram.com/reel/CfYbYz8s0Xa/embed/",
    "https://www.tiktok.com/@club/video/7106594312292453675": "https://www.tiktok.com/player/v1/7106594312292453675",
    "https://www.facebook.com/club/posts/pfbid02abc": (
        "https://www.facebook.com/plugins/post.php?href=https%3A%2F%2Fwww.facebook.com%2Fclub%2Fposts%2Fpfbid02abc"
    ),
    "https://www.facebook.com/club/videos/1015395/": (
        "https://www.facebook.com/plugins/video.php?href=https%3A%2F%2Fwww.facebook.com%2Fclub%2Fvideos%2F1015395%2F"
    ),
    "https://www.facebook.com/watch/live/?v=1015395": (
        "https://www.facebook.com/plugins/video.php?href=https%3A%2F%2Fwww.facebook.com%2Fwatch%2Flive%2F%3Fv%3D1015395"
    ),
    "https://open.spotify.com/intl-de/episode/7makk4oTQel546B0PZlDM5": (
        "https://open.spotify.com/embed/episode/7makk4oTQel546B0PZlDM5"
    ),
    "https://soundcloud.com/club/anthem": (
        "https://w.soundcloud.com/player/?url=https%3A%2F%2Fsoundcloud.com%2Fclub%2Fanthem"
    ),
    "https://www.openstreetmap.org/?mlat=53.54&mlon=9.98#map=15/53.5400/9.9800": (
        "https://www.openstreetmap.org/export/embed.html"
        "?bbox=9.96627%2C53.53388%2C9.99373%2C53.54612&layer=mapnik&marker=53.54%2C9.98"
    ),
    "https://www.google.com/maps/place/Stadion+am+Kai/@53.5400,9.9800,15z/data=x": (
        "https://www.google.com/maps?q=53.5400%2C9.9800&z=15&output=embed"
    ),
    "https://www.google.com/maps/embed?pb=!1m18!1m12": "https://www.google.com/maps/embed?pb=%211m18%211m12",
}
UNKNOWN = [
    "https://example.org/watch?v=dQw4w9WgXcQ",
    "https://youtube.com.evil.example/watch?v=dQw4w9WgXcQ",
    "https://youtube.com@evil.example/watch?v=dQw4w9WgXcQ",
    "https://evil@www.youtube.com/watch?v=dQw4w9WgXcQ",
    "https://www.youtube.com:8080/watch?v=dQw4w9WgXcQ",
    'https://www.youtube.com/watch?v=dQw4w9WgX"><script>',
    "https://www.youtube.com/watch?v=dQw4w9WgXc/",
    "https://www.youtube.com/@club",
    "https://www.youtube.com/watch",
    "javascript://www.youtube.com/watch?v=dQw4w9WgXcQ",
    "https://x.com/club",
    "https://www.instagram.com/club/",
    "https://www.google.com/search?q=derby",
    "https://www.google.com/maps/embed",
    "https://www.openstreetmap.org/",
    "https://vimeo.com/about",
    "https://[::1/watch?v=dQw4w9WgXcQ",
    "https://www.youtube.com:x/watch?v=dQw4w9WgXcQ",
    "www.youtube.com/watch?v=dQw4w9WgXcQ",
    "",
]  # fmt: skip


@pytest.mark.parametrize(("url", "frame"), KNOWN.items(), ids=KNOWN)
def test_a_copied_address_gives_the_frame_of_its_provider(url, frame):
    """At a host that the policy names, with a size; a tracking parameter is left behind."""
    found = web_embed(url)

    assert found is not None
    assert found.frame == frame
    assert found.host in FRAME_HOSTS
    assert min(found.size) > 0


@pytest.mark.parametrize("url", UNKNOWN)
def test_nothing_else_is_recognised(url):
    """Other hosts, other pages of the same host, and what only looks like one of them."""
    assert web_embed(url) is None


@pytest.mark.parametrize("url", KNOWN)
@pytest.mark.parametrize("evil", ['"><script>alert(1)</script>', "\u2028", "'onload='x", "%00", "&output=x"])
def test_no_part_of_an_address_leaves_its_place_in_the_frame(url, evil):
    """Whatever is appended: the same host, and nothing that would end an attribute."""
    found = web_embed(url + evil)

    if found is not None:
        assert urlsplit(found.frame).netloc in FRAME_HOSTS
        assert not re.search(r"[\"'<>\s\u2028]", found.frame)
