"""Clients of the API, the keys of their requests, and secrets that the service makes for itself.

The configuration and commands declare them; `api.middleware` finds them.
"""
