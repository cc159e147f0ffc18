"""Secrets that are made cannot be guessed, and are compared so that nothing is learned of them."""

import ast
import base64
import inspect

from api.middleware import credentials
from ingest.cli import clients as cli_clients
from store.webhooks import webhooks


def test_secrets_that_are_made_have_256_bits():
    """Those of clients and those of subscriptions: 32 bytes, none like another."""
    texts = [cli_clients._new_secret() + "=" for _ in range(100)]
    made = [base64.urlsafe_b64decode(text) for text in texts]
    made += [base64.b64decode(webhooks.new_secret().removeprefix("whsec_")) for _ in range(100)]

    assert {len(secret) for secret in made} == {32}
    assert len(set(made)) == 200


def test_secrets_are_compared_in_constant_time():
    """No digest meets `==`: each live one is compared whole, and as many comparisons are made for a client that is unknown."""
    tree = ast.parse(inspect.getsource(credentials.opens))
    compared = [node for node in ast.walk(tree) if isinstance(node, ast.Compare)]

    assert "hmac.compare_digest" in {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert {ast.unparse(node) for node in compared} == {"secret != ''"}
