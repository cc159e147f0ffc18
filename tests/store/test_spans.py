"""Spans where the work is done: of what, below what, and without the text of an error."""

from functools import partial

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from store.engine import spans
from store.tables import service_keys

PRIVATE = "what-nobody-should-see"


@pytest.fixture
def made():
    """Spans are made; gives those that have ended."""
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    spans.use(provider.get_tracer("tests"))
    yield exporter.get_finished_spans
    spans.use(None)
    provider.shutdown()


def keys_of(conn):
    return conn.execute(service_keys.select()).all()


def named(names, conn):
    return [row for row in keys_of(conn) if row.name in names]


def save_key(unit, name):
    unit.conn.execute(service_keys.insert().values(name=name, value=b""))


async def test_a_unit_and_a_read_are_spans_below_what_they_are_for(store, made):
    """Named after the function that they run, below what it is wrapped into; without a request or a poll there is none."""
    await store.read(keys_of)
    await store.write(partial(save_key, name="alone"))
    assert made() == ()

    with spans.beginning("poll") as poll:
        await store.write(partial(save_key, name="other"))
        await store.read(partial(named, {"other"}), at=2_000_000_000)
        await store.read_for_write(keys_of)

    *below, whole = made()
    assert [each.name for each in below] == ["store.write save_key", "store.read named", "store.read_for_write keys_of"]
    assert {each.parent.span_id for each in below} == {poll.get_span_context().span_id}
    assert (whole.name, whole.parent) == ("poll", None)


async def test_an_error_leaves_no_text_in_a_span(store, made):
    """Neither in its status nor as an event."""

    def fail(_):
        raise ValueError(PRIVATE)

    async def poll():
        with spans.beginning("poll") as span:
            spans.mark(span, failed=True)
            await store.write(fail)

    with pytest.raises(ValueError, match=PRIVATE):
        await poll()

    assert [(each.status.status_code, each.events) for each in made()] == [
        (StatusCode.UNSET, ()),
        (StatusCode.ERROR, ()),
    ]
    assert PRIVATE not in "".join(each.to_json() for each in made())
