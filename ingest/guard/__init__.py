"""The guard on every address that a client can name, and the sessions that call through it."""
