"""The pages of the desk; importing this compiles them, which the daemon does beside the event loop once it answers."""

from __future__ import annotations

from api.http.templates import load_templates

TEMPLATES = load_templates("api.desk")
