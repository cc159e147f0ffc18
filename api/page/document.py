"""The frame of all pages."""

from __future__ import annotations

from html import escape

from mapping.liveblog.web_embeds import FRAME_HOSTS

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self';"
    " media-src https: http:; base-uri 'none'; form-action 'none'"
)
"""Nothing inline runs; only videos come from elsewhere. No click on these pages can do harm, also in a frame."""
ALONE = f"{POLICY}; frame-ancestors 'self'"
"""Of a page that no other site shows in a frame."""
WITH_POSTS = f"{POLICY}; frame-src {' '.join(f'https://{host}' for host in FRAME_HOSTS)}"
"""Of a page with posts: what third parties show, after consent, stands in frames of theirs."""


def document(
    *, title: str, language: str, about: str, body: str, up: str = "", script: str = "", head: str = ""
) -> str:
    """A whole document; `title`, `language` and `about` are escaped here, `body` and `head` are HTML."""
    code = f'<script type="module" src="{up}static/{script}"></script>' if script else ""
    return (
        f'<!doctype html><html lang="{escape(language)}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f'<title>{escape(title)}</title><meta name="description" content="{escape(about)}">'
        f'<link rel="icon" href="{up}static/icon.svg" type="image/svg+xml">'
        f'<link rel="stylesheet" href="{up}static/page.css">{head}{code}</head>'
        f"<body>{body}<footer>matchwire</footer></body></html>"
    )
