"""A complete configuration, and short ways to read one."""

from config import ConfigError, load

ORG = "5f0c1de2a1b2c3d4e5f60718"
SAMPLE = f"""
[server]
host = "127.0.0.1"
port = 8080
public_url = "https://live.example.org/"

[database]
url = "sqlite+aiosqlite:///matchwire.db"

[organizations.{ORG}]
name = "Example Newsroom"

[organizations.{ORG}.providers.heim]
base_url = "https://customer.provider.example"
username = "newsroom"
password = "upstream-password"
language = "de"
timezone = "Europe/Berlin"
text_content = true

[organizations.{ORG}.providers.gn-gsd]
base_url = "https://gsd.provider.example/gsd/lookup/v1"
api_key = "upstream-key"

[clients.newsroom-cms]
secret = "0123456789abcdef0123456789abcdef"
organizations = ["{ORG}"]
scopes = ["read", "write", "external", "stats", "webhooks"]

[polling]
live = 5
after_max = "1h"
after_window = "48h"

[[liveblogs]]
key = "derby"
organization = "{ORG}"
provider = "heim"
match_id = 8315073
locale = "de"
exclude_events = ["soccer.yellow-card"]
include_text_content = true

[[liveblogs]]
key = "late"
organization = "{ORG}"
provider = "gn-gsd"
phase_id = "77"
lead = "1h"
"""


def write(folder, text):
    path = folder / "matchwire.toml"
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)
    return path


def problems(path, environ=None, vocabulary=None):
    """What is wrong; an empty tuple if nothing is."""
    try:
        load(path, environ or {}, vocabulary)
    except ConfigError as error:
        return error.problems
    return ()
