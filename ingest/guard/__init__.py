"""The guard on every address that a client can name, and the sessions that call through it.

An address comes in; a session goes out that reaches nothing but what may be called. Deliveries, media and commands use it.
"""
