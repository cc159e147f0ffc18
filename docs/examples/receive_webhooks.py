"""Receives webhooks, checks each signature and prints what was verified: `python receive_webhooks.py FILE-OF-THE-SECRET PORT`.

It needs standardwebhooks, which every environment of matchwire has. Other languages have a library of the same name:
https://github.com/standard-webhooks/standard-webhooks
"""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from standardwebhooks import Webhook, WebhookVerificationError

LARGEST = 65_536
"""Bytes of a body; those of matchwire have some hundred."""


class WebhookReceiver(BaseHTTPRequestHandler):
    signer: Webhook
    timeout = 10

    def do_POST(self) -> None:
        """Answer 204 to what is signed, and 400 to anything else."""
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length) if 0 < length <= LARGEST else b""
        try:
            message = self.signer.verify(body, {name.lower(): value for name, value in self.headers.items()})
        except (WebhookVerificationError, ValueError):
            self.send_response(400)
        else:
            print("verified", self.headers["webhook-id"], json.dumps(message), flush=True)
            self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Standard output has the verified messages alone."""


if __name__ == "__main__":
    WebhookReceiver.signer = Webhook(Path(sys.argv[1]).read_text(encoding="utf-8").strip())
    HTTPServer(("127.0.0.1", int(sys.argv[2])), WebhookReceiver).serve_forever()
