"""Reads HTML as a browser would and names whatever in it could run."""

from html.parser import HTMLParser

ALLOWED = {
    *("html", "head", "meta", "title", "link", "script", "body", "div", "header", "main", "aside", "footer", "section"),
    *("h1", "h2", "h3", "p", "span", "i", "b", "strong", "em", "br", "a", "ol", "ul", "li", "article", "time"),
    *("blockquote", "details", "summary", "figure", "figcaption", "img", "video", "svg", "circle", "path", "rect"),
    *("template", "matchwire-liveblog", "matchwire-liveblog-teaser", "iframe", "base", "button", "pre", "code", "nav"),
    *("table", "thead", "tbody", "tr", "th", "td", "small", "abbr", "bdi"),
}
URLS = {"href", "src"}
SAFE_URLS = (
    "../",
    "#",
    "./",
    "../../static/",
    "../../embed/",
    "?",
    "https://",
    "http://",
    "../static/",
    "static/",
    "../media/",
    "liveblogs/",
    "mailto:",
    "tel:",
    "docs",
)
FRAMES = ("https://live.example.org/blogs/embed/", "../../embed/")
FRAMED = ("iframe", "max-width:100%;border:0")
"""The one style that stands in an element: of a frame for pages that load no script of ours."""
PROXY = ("../media/", "https://live.example.org/blogs/media/")
"""Where images may come from: the service's proxy alone."""


class Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.bad, self.text, self.ids, self.images = [], [], [], []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag not in ALLOWED or (tag == "script" and not _harmless_script(values)):
            self.bad.append(tag)
        styled = "style" in values and (tag, values["style"]) != FRAMED
        self.bad += [f"{tag} {name}" for name in values if name.startswith("on") or (name == "style" and styled)]
        urls = [values[name] for name in URLS & values.keys()]
        self.bad += [f"{tag} {url}" for url in urls if not url.startswith(SAFE_URLS)]
        if tag == "iframe" and not values["src"].startswith(FRAMES):
            self.bad.append(f"iframe {values['src']}")
        if tag == "img":
            self.images += [values["src"], *(each.split()[0] for each in values.get("srcset", "").split(",") if each)]
            self.bad += [f"img {url}" for url in self.images if not url.startswith(PROXY)]
        self.ids += [values["id"]] if "id" in values else []

    def handle_data(self, data):
        self.text.append(data)


def _harmless_script(attributes):
    """The service's own code, or data that no browser runs."""
    return attributes == {"type": "application/ld+json"} or (attributes.get("src") or "").startswith(
        ("../static/", "static/", "../../static/")
    )


def read(html):
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader


def active_parts(html):
    """Elements, attributes and addresses in the HTML that could run anything."""
    return read(html).bad
