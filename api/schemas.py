"""The documents as JSON schemas: a request shows what is understood, an answer what is given, which is less."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pydantic.json_schema import models_json_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import BaseModel

Json = dict[str, Any]

SCHEMAS = "#/components/schemas/"
ASKED = "-Input"
"""Ends the name of a document as requests write it, where answers have one of the same name."""


def asked(model: type[BaseModel]) -> Json:
    """A reference to the document as a request writes it."""
    return {"$ref": f"{SCHEMAS}{_name(model)}{ASKED}"}


def answered(model: type[BaseModel]) -> Json:
    """A reference to the document as an answer writes it."""
    return {"$ref": f"{SCHEMAS}{_name(model)}"}


def json_content(schema: Json, example: Any = None) -> Json:
    """The `content` of a body that is JSON."""
    return {"application/json": {"schema": schema} if example is None else {"schema": schema, "example": example}}


def components(requests: Iterable[type[BaseModel]], answers: Iterable[type[BaseModel]]) -> Json:
    """The schemas of these documents and of all that they are made of, by name."""
    _, given = models_json_schema([(model, "serialization") for model in answers], ref_template=f"{SCHEMAS}{{model}}")
    _, understood = models_json_schema(
        [(model, "validation") for model in requests], ref_template=f"{SCHEMAS}{{model}}{ASKED}"
    )
    return {**given["$defs"], **{f"{name}{ASKED}": schema for name, schema in understood["$defs"].items()}}


def shortened(whole: Json) -> Json:
    """The OpenAPI document with plain names for what only requests write."""
    schemas = whole["components"]["schemas"]
    alone = {name: name.removesuffix(ASKED) for name in schemas if name.endswith(ASKED)}
    names = {name: plain for name, plain in alone.items() if plain not in schemas}
    renamed: Json = _renamed(whole, {f"{SCHEMAS}{name}": f"{SCHEMAS}{plain}" for name, plain in names.items()})
    parts = renamed["components"]["schemas"]
    renamed["components"]["schemas"] = {names.get(name, name): parts[name] for name in sorted(parts)}
    return renamed


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    match value:
        case {"$ref": str(name)} if name in names:
            return {**value, "$ref": names[name]}
        case dict():
            return {key: _renamed(part, names) for key, part in value.items()}
        case list() | tuple():
            return [_renamed(part, names) for part in value]
    return value


def _name(model: type[BaseModel]) -> str:
    """As pydantic spells it in its definitions, parameters of generic documents included."""
    return re.sub(r"[^\w.-]", "_", model.__name__, flags=re.ASCII)
