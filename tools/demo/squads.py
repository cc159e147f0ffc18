"""Joins the two sources' squads: Wyscout knows persons and sizes, openfootball shirt numbers and FIFA's birth dates."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Any

SQUAD_LINE = re.compile(r"\s+(\d+|-),\s+(.+?),\s+(GK|DF|MF|FW|MG),\s+b\. (\d{4})/(\d\d)/(\d\d)")
# openfootball writes coaches without accents
ACCENTS = {"Age Hareide": "Åge Hareide", "Oscar Tabarez": "Óscar Tabárez", "Jose Pekerman": "José Pékerman"}


@dataclass(frozen=True)
class Person:
    """A player, coach or referee; birth date ISO or empty, height cm, weight kg, number a shirt number or empty."""

    id: str
    name: str
    firstname: str = ""
    surname: str = ""
    birthday: str = ""
    height: str = "0"
    weight: str = "0"
    role: str = ""
    foot: str = "unknown"
    number: str = ""
    country: str = ""


def read_squads(text: str) -> dict[str, list[Person]]:
    """The squads by team name; names are as openfootball writes them."""
    squads: dict[str, list[Person]] = {}
    team = ""
    for line in text.splitlines():
        if line.startswith("== "):
            team = line[3:].partition("#")[0].strip()
        elif found := SQUAD_LINE.match(line):
            number, name, role, year, month, day = found.groups()
            name, _, country = name.partition(" (")
            squads.setdefault(team, []).append(
                Person("", name, birthday=f"{year}-{month}-{day}", role=role, number=number, country=country.strip(")"))
            )
    return squads


def player(raw: dict[str, Any], squad: list[Person]) -> Person:
    """A player of Wyscout with the number and birth date of the squad list."""
    short, first = unescaped(raw["shortName"]), unescaped(raw["firstName"])
    initial, dot, rest = short.partition(". ")
    if dot:
        firstname = next((word for word in first.split() if word.startswith(initial)), first.split()[0])
        surname = rest
    else:
        firstname, _, surname = short.partition(" ")
    listed = _listed(f"{first} {unescaped(raw['lastName'])}", raw["birthDate"], squad)
    return Person(
        id=str(raw["wyId"]),
        name=f"{firstname} {surname}",
        firstname=firstname,
        surname=surname,
        birthday=listed.birthday,  # FIFA's list is right where the two differ
        height=str(raw["height"]),
        weight=str(raw["weight"]),
        role=raw["role"]["code2"],
        foot=raw["foot"] or "unknown",
        number=listed.number,
    )


def _listed(name: str, birthday: str, squad: list[Person]) -> Person:
    """The squad's entry that shares most words and the birth date; spelling differs from source to source."""
    words = set(plain(name).split())

    def likeness(person: Person) -> int:
        return len(words & set(plain(person.name).split())) + 2 * (person.birthday == birthday)

    return max((person for person in squad if person.role != "MG"), key=likeness)


def plain(name: str) -> str:
    """Lower case without accents, for comparing names of two sources."""
    bare = unicodedata.normalize("NFKD", name.replace("ø", "o").replace("Ø", "O").replace("æ", "ae"))  # noqa: TID251 -- names of a generator
    return "".join(sign for sign in bare if not unicodedata.combining(sign)).casefold()


def unescaped(text: str) -> str:
    """Wyscout's names are escaped twice: a backslash, `u` and four digits are left after JSON."""
    return re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text).strip()


def cased(name: str) -> str:
    """A name that a source writes partly in capitals, as it is written elsewhere."""
    name = " ".join(word.capitalize() if word.isupper() else word for word in name.split())
    return ACCENTS.get(name, name)
