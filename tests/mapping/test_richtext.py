"""Markup from strangers leaves nothing behind that a page should not show."""

from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mapping.rules import rich_text
from tests.kit.steps import calls

PIECES = st.sampled_from(
    [
        *(
            f"<{tag}>"
            for tag in (*sorted(rich_text.TAGS), *sorted(rich_text.DROPPED), "section", "dl", "dd", "form", "img")
        ),
        *(f"</{tag}>" for tag in (*sorted(rich_text.TAGS), *sorted(rich_text.DROPPED), "section", "dl", "dd", "form")),
        '<a href="javascript:alert(1)">',
        '<a href=" jav\tascript:alert(1)">',
        '<a href="//evil.example/">',
        '<a href="https://ok.example/?a=1&b=2>" onclick=x target=_blank>',
        '<a href="mailto:a@b.example">',
        "<a href='data:text/html,<script>'>",
        "<img src=x onerror=alert(1)>",
        '<b style="position:fixed" class=x id=y>',
        "<math><mtext><table><mglyph><style><!--",
        "<svg></p><style><a id='</style><img src=1 onerror=alert(1)>'>",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "&lt;script&gt;",
        "&#x3c;script&#62;",
        "&nbsp;",
        "&amp;amp;",
        '"',
        "'>",
        "\0",
        "\r\n",
        "\u2028",
    ]
)
HOSTILE = st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=12).map("".join)


class Seen(HTMLParser):
    """What a page would make of the markup."""

    def __init__(self):
        super().__init__()
        self.elements = []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_comment(self, data):
        self.elements.append(("!--", {}))

    def handle_decl(self, decl):
        self.elements.append(("!", {}))

    def unknown_decl(self, data):
        self.elements.append(("![", {}))

    def handle_pi(self, data):
        self.elements.append(("?", {}))


def seen(markup):
    reader = Seen()
    reader.feed(markup)
    reader.close()
    return reader.elements


@given(HOSTILE)
@example("<svg></p><style><a id='</style><img src=1 onerror=alert(1)>'>")
@example('<a href="https://a.example/>x">y</a>')
def test_only_what_is_allowed_is_left(markup):
    """Whatever comes in, what is read again are allowed elements, links with safe schemes, and no other attribute."""
    for tag, attributes in seen(rich_text.sanitise(markup)):
        assert tag in rich_text.TAGS
        assert set(attributes) <= ({"href", "rel"} if tag == "a" else set())
        if "href" in attributes:
            assert urlsplit(attributes["href"]).scheme.lower() in rich_text.SCHEMES
            assert attributes["rel"] == "noopener noreferrer nofollow"


@given(HOSTILE)
def test_sanitising_twice_changes_nothing_more(markup):
    """Sanitised and tidied markup stays as it is, so that a stored text equals what was written."""
    clean, tidy = rich_text.sanitise(markup), rich_text.tidy(markup)

    assert rich_text.sanitise(clean) == clean
    assert rich_text.tidy(tidy) == tidy
    assert rich_text.sanitise(tidy) == tidy


@given(st.text())
def test_escaped_text_reads_as_it_was(text):
    """Text put into markup comes out again, as far as a page shows it, and brings no element with it."""
    markup = rich_text.escape(text)

    assert seen(markup) == []
    assert rich_text.sanitise(markup) == markup
    assert rich_text.plain(markup) == " ".join(text.replace("\0", "").split())


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<b>Tor!</b> <br/>", "<b>Tor!</b> <br>"),
        ('<span class="rottext">Wechsel</span>', "<span>Wechsel</span>"),
        ("<h6>Big</h6><h3>Small</h3>", "Big <h3>Small</h3>"),
        ("a<script>alert(1)</script>b", "ab"),
        ("<img src=x onerror=alert(1)>c", "c"),
        ('<a href="javascript:alert(1)">x</a>', '<a rel="noopener noreferrer nofollow">x</a>'),
        ('<a href="/relative">x</a>', '<a rel="noopener noreferrer nofollow">x</a>'),
        (
            '<a href="https://e.example/" target="_top">x</a>',
            '<a href="https://e.example/" rel="noopener noreferrer nofollow">x</a>',
        ),
        ('<a href="tel:+49123">x</a>', '<a href="tel:+49123" rel="noopener noreferrer nofollow">x</a>'),
        ("1 < 2 & 3", "1 &lt; 2 &amp; 3"),
    ],
)
def test_markup_is_cut_down_to_the_allowed(markup, expected):
    """Allowed elements stay without their attributes, of others the text stays, of active ones nothing."""
    assert rich_text.sanitise(markup) == expected


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (" <br/> <b>Tor</b> &nbsp;<br>\n<br/>", "<b>Tor</b>"),
        ("<p>One</p><p>Two</p>", "<p>One</p><p>Two</p>"),
        ("<b> </b><br>", ""),
        ("", ""),
        ("<script>x</script>", ""),
    ],
)
def test_tidy_text_has_no_empty_ends(markup, expected):
    """Blanks and line breaks around a text go, and markup without text is no text."""
    assert rich_text.tidy(markup) == expected


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p>One &amp; two</p><p>three</p>", "One & two three"),
        ("<ul><li>a</li><li>b</li></ul>", "a b"),
        ("un<b>broken</b>", "unbroken"),
        ("a<br>b<script>c</script>", "a b"),
        ('<a href="https://a.example/>x">link</a>', "link"),
    ],
)
def test_plain_text_keeps_words_apart(markup, expected):
    """Without markup, paragraphs and lines are separated by one blank and words stay whole."""
    assert rich_text.plain(markup) == expected


@pytest.mark.parametrize(
    "piece",
    ["<b>", "<div>", "<a href=x>", "<table><td>", "<div></x>", "<div><table></div>", "<p>", "&amp", "<!--", "<<a"],
)
def test_deep_or_endless_markup_takes_no_more_steps_than_its_length(piece):
    """A hostile text does not exhaust the stack, and twice as much of it takes at most twice as many calls."""
    few, many = (calls(rich_text.tidy, "x" + piece * number) for number in (4_000, 8_000))
    assert many <= 2 * few + 100


@pytest.mark.parametrize("piece", ["<div></x>", "<div><table></div>", "<DIV>", "<div></div ><div>"])
def test_depth_cannot_be_hidden_behind_closing_tags(piece):
    """A closing tag that closes nothing does not make markup any shallower."""
    assert rich_text.sanitise(piece * (rich_text.DEEPEST + 1) + "<b>word</b>").strip() == "word"


def test_of_markup_that_is_too_deep_the_text_is_left():
    """Nesting beyond all reason costs the markup, not the words; long flat texts keep theirs."""
    deep = "<b>" * (rich_text.DEEPEST + 1) + "word &lt;"
    flat = "<p>One<br>two</p>" * rich_text.DEEPEST * 2

    assert rich_text.plain(deep) == "word &lt;"
    assert "<b>" not in rich_text.sanitise(deep)
    assert rich_text.sanitise(flat) == flat


@pytest.mark.parametrize(
    "markup",
    [
        "<del>0-1</del> 0-2", "<strike>0-1</strike>", "<h1>A</h1><h2>B</h2><h5>C</h5>", "<div>A</div><div>B</div>",
        "<table><tbody><tr><th>A</th><td>B</td></tr></tbody></table>", "<pre><code>x</code></pre>",
        "H<sub>2</sub>O<sup>+</sup>",
    ],
)  # fmt: skip
def test_what_clients_may_write_stays_as_it_was_written(markup):
    """A correction that is struck out stays struck out, and headings, paragraphs and tables keep their form."""
    assert rich_text.sanitise(markup) == markup


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<section>A</section><section>B</section>", "A B"),
        ("<dl><dt>A</dt><dd>B</dd></dl>C", "A B C"),
        ("<h6>A</h6>B", "A B"),
        ("A<hr>B<img src=x>C", "A B C"),
        ("<table><tr><td>A<td>B<tr><td>C</table>D", "A B C D"),
        ("<div>A</div>B<pre>C</pre>", "A B C"),
    ],
)
def test_words_of_two_blocks_are_never_glued_together(markup, text):
    """Between blocks and cells there is a blank, also where their elements are not kept."""
    assert rich_text.plain(markup) == text
    assert rich_text.plain(rich_text.sanitise(markup)) == text


def test_the_plain_text_of_a_post_is_made_once(monkeypatch):
    """However often a feed asks for it; a text that is larger than all the room there is, is made each time."""
    cleaned, real = [], rich_text.sanitise
    monkeypatch.setattr(rich_text, "sanitise", lambda markup: cleaned.append(len(markup)) or real(markup))
    posts = [f"<p>Minute {number}</p>" for number in range(30)]
    found = [[rich_text.plain(each) for each in posts] for _ in range(3)]
    huge = "x" * (rich_text.PLAIN_KEPT // 2 + 1)
    assert rich_text.plain(huge) == rich_text.plain(huge) == huge

    assert found == [[f"Minute {number}" for number in range(30)]] * 3
    assert len(cleaned) == 30 + 2
