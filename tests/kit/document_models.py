"""Every document of the interface and every type of its fields under its name, wherever in `mapping.documents` it stands."""

from types import SimpleNamespace

from mapping.documents import (
    base,
    blocks,
    event,
    external,
    game,
    modification,
    people,
    scalars,
    state,
)

MODULES = (blocks, event, external, game, modification, people, scalars, state)
models = SimpleNamespace(
    **{name: value for module in MODULES for name, value in vars(module).items() if not name.startswith("_")}
)
MODELS = {
    name: value
    for name, value in vars(models).items()
    if isinstance(value, type) and issubclass(value, base.Document) and value.__module__ != base.__name__
}
"""The documents alone, without what they are all derived from."""
