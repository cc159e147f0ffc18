"""Traces of a real daemon at a real receiver of OTLP."""

import asyncio
import json
import threading
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from providers.replay.demo import demo_files
from providers.replay.recording import read_lines
from providers.replay.replay import Replay
from providers.replay.settings import ReplaySettings
from tests.kit.daemon import CONFIG, MATCH, SECRET, Daemon, client_of
from tests.kit.day import CREATE, ORGANIZATION
from tests.kit.news_daemon import made, written
from tests.kit.sqlite import migrated_url

pytestmark = pytest.mark.proof

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
COLLECTORS_KEY = "Bearer of-the-collector"
SUBSCRIBE = f"/apigw/webhooks/v2/organization/{ORGANIZATION}/subscribe"


class Collector(ThreadingHTTPServer):
    """Takes spans at /v1/traces and webhooks elsewhere; a hanging one reads and never answers."""

    daemon_threads = True

    def __init__(self, *, hanging=False):
        super().__init__(("127.0.0.1", 0), Handler)
        self.released = threading.Event()
        if not hanging:
            self.released.set()
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        self.bodies, self.keys, self.spans = [], set(), []

    def named(self, start):
        return [span for span in self.spans if span.name.startswith(start)]


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.released.wait()
        if self.path == "/v1/traces":
            self.server.bodies.append(body)
            self.server.keys.add(self.headers["Authorization"])
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    self.server.spans += scope.spans
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        """Nothing."""


@contextmanager
def collecting(**options):
    server = Collector(**options)
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        serving.join()
        server.server_close()


@pytest.fixture
def collector(request):
    with collecting(hanging=getattr(request, "param", "") == "hanging") as server:
        yield server


@asynccontextmanager
async def traced_daemon(folder, collector, upstream="http://127.0.0.1:9", sample=1):
    text = CONFIG.format(
        database=migrated_url(folder / "matchwire.db"), organization=ORGANIZATION, upstream=upstream, secret=SECRET
    )
    config = folder / "matchwire.toml"
    config.write_text(
        text
        + f"""
[webhooks]
allow_hosts = ["127.0.0.1"]
[traces]
endpoint = "{collector.address}/v1/traces"
authorization = "{COLLECTORS_KEY}"
sample = {sample}
[logging]
format = "json"
"""
    )
    daemon = Daemon(config, "--log-file", str(folder / "matchwire.log"))
    await daemon.start()
    try:
        yield daemon
    finally:
        if daemon.process.returncode is None:
            await daemon.kill()


def events_of(folder, name):
    lines = [json.loads(line) for line in (folder / "matchwire.log").read_text().splitlines()]
    return [line for line in lines if line["event"] == name]


async def until(condition):
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.05)


def attributes(span):
    return {each.key: each.value.string_value or each.value.int_value for each in span.attributes}


async def test_a_request_a_poll_and_a_delivery_are_traced_and_no_secret_is(tmp_path, collector):
    """A request below the client's own span, its fetch and units below it, a poll with its own, rounds by receiver."""
    lines = read_lines(next(path for path in demo_files("en") if "croatia" in path.name))
    async with (
        Replay(lines, ReplaySettings(speed=60, start_at="kickoff-60")).serve() as replay,
        traced_daemon(tmp_path, collector, replay.url) as daemon,
        client_of(daemon) as client,
    ):
        subscribed = await client.post(SUBSCRIBE, json={"url": f"{collector.address}/hook-that-is-private"})
        assert subscribed.status_code == 200, subscribed.text
        body = {"provider": "heim", "matchId": MATCH, "autoPostEnabled": True, "includeTextContent": True}
        headers = {"traceparent": f"00-{TRACE}-{PARENT}-00"}
        made_at = await client.post(CREATE, json=body, headers=headers)
        assert made_at.status_code == 200, made_at.text
        named = {"client_id": "cms", "client_secret": SECRET, "local_id": made_at.json()["local_id"]}
        assert (await client.get("/api/v5/write/ticker/show.json", params=named, auth=None)).status_code == 200
        await until(lambda: collector.named("poll") and collector.named("webhook.round"))
        assert await daemon.terminate() == 0

    (created,) = collector.named("POST /apigw/sports/v2/{organizationId}/liveblog/createFromExternal")
    assert (created.trace_id.hex(), created.parent_span_id.hex()) == (TRACE, PARENT)
    assert attributes(created)["http.response.status_code"] == 200
    below = {span.name for span in collector.spans if span.parent_span_id == created.span_id}
    assert "provider.fetch" in below
    assert any(name.startswith("store.write ") for name in below)

    poll = next(span for span in collector.named("poll") if attributes(span)["matchwire.match"] == MATCH)
    assert not poll.parent_span_id
    assert attributes(poll)["matchwire.endpoint"] == f"heim of {ORGANIZATION}"
    fetched = next(span for span in collector.named("provider.fetch") if span.parent_span_id == poll.span_id)
    assert set(attributes(fetched)) >= {"matchwire.resource.match", "matchwire.resource.match-event"}

    delivered = attributes(collector.named("webhook.round")[0])
    assert delivered["http.response.status_code"] == 200
    assert delivered["matchwire.webhook"]

    sent = b"".join(collector.bodies)
    for private in (SECRET, "hook-that-is-private", "client_secret", COLLECTORS_KEY, str(tmp_path)):
        assert private.encode() not in sent
    assert collector.keys == {COLLECTORS_KEY}
    assert TRACE in {line.get("trace_id") for line in events_of(tmp_path, "request.served")}


@pytest.mark.parametrize("collector", ["hanging"], indirect=True)
async def test_a_collector_that_hangs_holds_up_neither_requests_nor_the_stop(tmp_path, collector):
    """It is logged once, and the process ends in order."""
    async with traced_daemon(tmp_path, collector) as daemon, client_of(daemon) as client:
        liveblog = await made(client)
        await until(lambda: events_of(tmp_path, "traces.not_exported"))
        for _ in range(20):
            assert (await written(client, liveblog)).status_code == 200
        async with asyncio.timeout(30):
            assert await daemon.terminate() == 0

    assert len(events_of(tmp_path, "traces.not_exported")) == 1
    assert events_of(tmp_path, "daemon.stopped")
