"""A canonical match to start from: Schalke against Salzburg, half an hour after kick-off."""

from dataclasses import replace

from mapping.documents.import_options import ImportOptions
from mapping.match.match import Clock, Comment, Incident, Involved, Match, Named, Person, Score, Side, Status
from mapping.match.references import References
from mapping.posts.posts import Post, wanted_posts

KICKOFF = 1_475_168_400

GORETZKA = Person(
    ext_id="231656", name="Leon Goretzka", short_name="Goretzka", number="8", position="midfield", country="DE"
)
GEIS = Person(ext_id="101", name="Johannes Geis", short_name="Geis", number="5")
MEYER = Person(ext_id="102", name="Max Meyer", short_name="Meyer", number="7")
CALETA_CAR = Person(ext_id="201", name="Duje Ćaleta-Car", short_name="Ćaleta-Car", number="5")

HOME = Side(
    ext_id="694",
    name="FC Schalke 04",
    short_name="Schalke",
    image="https://images.example/694.png",
    lineup=(GORETZKA, GEIS),
    bench=(MEYER,),
)
AWAY = Side(ext_id="1536", name="Red Bull Salzburg", short_name="Salzburg", lineup=(CALETA_CAR,))

MATCH = Match(
    provider="heim",
    match_id="8315073",
    sport="soccer",
    status=Status.LIVE,
    kickoff=KICKOFF,
    clock=Clock(phase=1, phase_started_at=KICKOFF + 60),
    home=HOME,
    away=AWAY,
    tournament=Named(ext_id="132", name="Europa League"),
    location=Named(ext_id="2120", name="Veltins-Arena", town="Gelsenkirchen", country="DE"),
    score=Score(1, 0),
)
REFERENCES = References(
    owner_id="5f0c1de2a1b2c3d4e5f60718",
    teams={"694": "a" * 24, "1536": "b" * 24},
    players={"231656": "c" * 24, "101": "d" * 24},
    tournament="e" * 24,
    location="f" * 24,
)
NOBODY = References(owner_id="5f0c1de2a1b2c3d4e5f60718")


def terms(**wishes) -> ImportOptions:
    return ImportOptions(**{"sport": "soccer", "auto_post": True, **wishes})


def incident(kind: str, **facts) -> Incident:
    return Incident(**{"key": "incident:1", "order": 1, "created_at": KICKOFF + 900, "kind": kind, **facts})


def involved(**roles: Person) -> tuple[Involved, ...]:
    return tuple(Involved(role=role.rstrip("_"), person=person) for role, person in roles.items())


def comment(html: str, **facts) -> Comment:
    return Comment(**{"key": "text:1", "order": 1, "html": html, "created_at": KICKOFF + 960, **facts})


def posts(match: Match, *, references: References = REFERENCES, **wishes) -> tuple[Post, ...]:
    return wanted_posts(match, terms(**wishes), references, block_id=block_id)


def post_of(happened: Incident, match: Match = MATCH, **more) -> Post:
    (post,) = posts(replace(match, incidents=(happened,)), **more)
    return post


def block_id(key: str, name: str) -> str:
    return f"b-{key}-{name}"


def text_of(post: Post) -> str:
    (block,) = post.document["contents"]
    return block["text"]
