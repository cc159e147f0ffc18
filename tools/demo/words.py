"""The words of the demo's feed in the languages of its endpoints; keys of the feed itself are English everywhere."""

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Words:
    countries: dict[str, str]
    roles: dict[str, str]
    competition: str
    season: str
    rounds: dict[str, str]
    results: dict[str, tuple[str, str]]
    incidents: dict[str, tuple[str, str]]
    headlines: dict[str, str]
    marks: dict[str, str] = field(default_factory=dict)


# Country: ISO 3166-1 number and alpha-2 code by FIFA's code
ISO = {
    "ARG": ("32", "AR"), "COL": ("170", "CO"), "CRO": ("191", "HR"), "DEN": ("208", "DK"), "JPN": ("392", "JP"),
    "NOR": ("578", "NO"), "RUS": ("643", "RU"), "SEN": ("686", "SN"), "SVN": ("705", "SI"), "URU": ("858", "UY"),
}  # fmt: skip
ROLE_IDS = {"GK": "1", "DF": "2", "MD": "3", "FW": "4"}

ENGLISH = Words(
    countries={
        "ARG": "Argentina",
        "COL": "Colombia",
        "CRO": "Croatia",
        "DEN": "Denmark",
        "JPN": "Japan",
        "NOR": "Norway",
        "RUS": "Russia",
        "SEN": "Senegal",
        "SVN": "Slovenia",
        "URU": "Uruguay",
    },
    roles={"GK": "Goalkeeper", "DF": "Defence", "MD": "Midfield", "FW": "Attack"},
    competition="World Cup",
    season="2018 in Russia",
    rounds={"A": "Group A", "H": "Group H", "16": "Round of 16"},
    results={
        "0": ("Final result", "Result"),
        "1": ("Half-time", "HT"),
        "2": ("After 90 minutes", "FT"),
        "21": ("After extra time", "AET"),
    },
    incidents={"1": ("after extra time", "a.e.t."), "2": ("on penalties", "pens.")},
    headlines={
        "goal": "<b>Goal for {side}, {score} by {player}</b> <br/>",
        "own-goal": "<b>Goal for {other_side}, {score} by {player} (own goal)</b> <br/>",
        "yellow": "<b>Yellow card for {player} ({side})</b> <br/>",
        "yellow-red": "<b>Second yellow card for {player} ({side})</b> <br/>",
        "red": "<b>Red card for {player} ({side})</b> <br/>",
        "missed-penalty": "<b>Penalty missed by {player} ({side})</b> <br/>",
        "substitute-out": '<span class="rottext">Going off for {side} -> {player}</span>',
        "substitute-in": '<span class="gruentext">Coming on for {side} -> {player}</span>',
    },
    marks={
        "game-start": "<b>Kick-off</b>",
        "first-half-end": "<b>End of the first half</b>",
        "second-half-start": "<b>Second half</b>",
        "second-half-end": "<b>End of normal time</b>",
        "first-extra-start": "<b>Extra time</b>",
        "first-extra-end": "<b>Half-time of extra time</b>",
        "second-extra-start": "<b>Second half of extra time</b>",
        "second-extra-end": "<b>End of extra time</b>",
        "penalty-start": "<b>Penalty shoot-out</b>",
        "game-end": "<b>Full time</b>",
    },
)

GERMAN = Words(
    countries={
        "ARG": "Argentinien",
        "COL": "Kolumbien",
        "CRO": "Kroatien",
        "DEN": "Dänemark",
        "JPN": "Japan",
        "NOR": "Norwegen",
        "RUS": "Russland",
        "SEN": "Senegal",
        "SVN": "Slowenien",
        "URU": "Uruguay",
    },
    roles={"GK": "Torwart", "DF": "Abwehr", "MD": "Mittelfeld", "FW": "Sturm"},
    competition="WM",
    season="2018 in Russland",
    rounds={"A": "Gruppe A", "H": "Gruppe H", "16": "Achtelfinale"},
    results={
        "0": ("Endergebnis", "Ergebnis"),
        "1": ("nach 1. Halbzeit", "n. 1. HZ"),
        "2": ("nach 2. Halbzeit", "n. 2. HZ"),
        "21": ("nach Verlängerung", "n.V."),
    },
    incidents={"1": ("nach Verlängerung", "n.V."), "2": ("im Elfmeterschießen", "i.E.")},
    headlines={
        "goal": "<b>Tooor für {side}, {score} durch {player}</b> <br/>",
        "own-goal": "<b>Tooor für {other_side}, {score} durch {player} (Eigentor)</b> <br/>",
        "yellow": "<b>Gelbe Karte für {player} ({side})</b> <br/>",
        "yellow-red": "<b>Gelb-Rote Karte für {player} ({side})</b> <br/>",
        "red": "<b>Rote Karte für {player} ({side})</b> <br/>",
        "missed-penalty": "<b>{player} ({side}) verschießt einen Elfmeter</b> <br/>",
        "substitute-out": '<span class="rottext">Auswechslung bei {side} -> {player}</span>',
        "substitute-in": '<span class="gruentext">Einwechslung bei {side} -> {player}</span>',
    },
    marks={
        "game-start": "<b>Spielbeginn</b>",
        "first-half-end": "<b>Ende 1. Halbzeit</b>",
        "second-half-start": "<b>Anpfiff 2. Halbzeit</b>",
        "second-half-end": "<b>Ende der regulären Spielzeit</b>",
        "first-extra-start": "<b>Anpfiff Verlängerung</b>",
        "first-extra-end": "<b>Ende 1. Hälfte der Verlängerung</b>",
        "second-extra-start": "<b>Anpfiff 2. Hälfte der Verlängerung</b>",
        "second-extra-end": "<b>Ende der Verlängerung</b>",
        "penalty-start": "<b>Elfmeterschießen</b>",
        "game-end": "<b>Spielende</b>",
    },
)

LANGUAGES = {"en": ENGLISH, "de": GERMAN}
