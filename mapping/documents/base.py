"""The base of all documents: frozen values, `_type` first, any prefix understood, absent and null kept apart."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from mapping.documents import strict_json

PREFIX = "Svc"
OURS = f"{PREFIX}::"

DocumentT = TypeVar("DocumentT", bound="Document")


def wire_name(name: str) -> str:
    """The name a field travels under: a trailing underscore in Python is a leading one on the wire.

    `type_` travels as `_type`.
    """
    return f"_{name[:-1]}" if name.endswith("_") else name


def canonical_type(kind: str) -> str:
    """The type as our responses spell it: what follows the first `::` decides, whatever prefix a client uses.

    `Scribble::Model::Event` is `Svc::Model::Event`.
    """
    if kind.startswith(OURS):
        return kind
    _, found, rest = kind.partition("::")
    return f"{PREFIX}::{rest}" if found else kind


def one_of_required(*names: str) -> dict[str, Any]:
    """For the JSON schema of a request: at least one of these fields is there, and not empty."""
    filled = {"type": "string", "minLength": 1}
    return {"anyOf": [{"required": [name], "properties": {name: filled}} for name in names]}


class Document(BaseModel):
    """A frozen value of the interface; unknown fields are ignored.

    `model_fields_set` distinguishes a field that was absent from one that was sent as null.
    """

    model_config = ConfigDict(
        alias_generator=wire_name, populate_by_name=True, frozen=True, extra="ignore", allow_inf_nan=False
    )

    @model_validator(mode="before")
    @classmethod
    def _spell_type(cls, data: Any) -> Any:
        if isinstance(data, dict) and isinstance(kind := data.get("_type"), str) and not kind.startswith(OURS):
            return {**data, "_type": canonical_type(kind)}
        return data


def camel_name(name: str) -> str:
    return wire_name(name) if name.endswith("_") else to_camel(name)


class CamelDocument(Document):
    """A document of the areas that write their names in camelCase."""

    model_config = ConfigDict(alias_generator=camel_name)


def _storable(value: Any) -> Any:
    strict_json.check(value)
    return value


class OpenDocument(Document):
    """A document whose fields the interface does not show: what we do not know is kept and given back."""

    model_config = ConfigDict(extra="allow")

    __pydantic_extra__: dict[
        Annotated[str, AfterValidator(strict_json.check_text)], Annotated[Any, AfterValidator(_storable)]
    ] = Field(init=False)

    @model_serializer(mode="wrap")
    def _keep_unknown_nulls(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        nulls = {name: None for name, value in (self.model_extra or {}).items() if value is None}
        return {**handler(self), **nulls}

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """The schema of the fields, also of what is given back: the serializer above changes none of them."""
        return handler(_without_serializer(schema))


def _without_serializer(schema: Any) -> Any:
    plain = {key: part for key, part in schema.items() if key != "serialization"}
    return plain if plain["type"] == "model" else {**plain, "schema": _without_serializer(plain["schema"])}


class ByType:
    """Chooses the member of a union by `_type`, whatever its prefix; names the allowed types when it cannot."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        members: Mapping[str, type[Document]] = {_type_of(member): member for member in get_args(source)}
        return core_schema.tagged_union_schema(
            choices={kind: handler.generate_schema(member) for kind, member in members.items()},
            discriminator=_tag,
            custom_error_type="document_type",
            custom_error_message="Input should be an object whose _type is one of: {allowed}",
            custom_error_context={"allowed": ", ".join(members)},
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(schema), "type": "object", "required": ["_type"]}


def _type_of(member: type[Document]) -> str:
    return str(member.model_fields["type_"].default)


def _tag(value: Any) -> str | None:
    kind = value.get("_type") if isinstance(value, dict) else getattr(value, "type_", None)
    return canonical_type(kind) if isinstance(kind, str) else None


def parse(model: type[DocumentT], data: Any) -> DocumentT:
    """`data` (decoded JSON) as a `model`, by the names of the wire alone; raises pydantic's `ValidationError`."""
    return model.model_validate(data, by_alias=True, by_name=False)


def dump(document: Document) -> dict[str, Any]:
    """The document as JSON values under the names of the wire, `_type` first, without absent values."""
    return document.model_dump(mode="json", by_alias=True, exclude_none=True)


def describe(error: Mapping[str, Any]) -> str:
    """What is wrong, as a sentence for people; `error` as in `field_path`."""
    return str(error["msg"]).removeprefix("Value error, ")


def field_path(error: Mapping[str, Any]) -> str:
    """Where a validation error happened, as the interface writes paths: `meta_info.home_team._id`.

    `error` is one entry of `ValidationError.errors()`. Tags of unions, which contain `::`, are no part of the path.
    """
    loc: Sequence[str | int] = error["loc"]
    names = [str(part) for part in loc if not (isinstance(part, str) and "::" in part)]
    return ".".join([*names, "_type"] if error["type"] == "document_type" else names)
