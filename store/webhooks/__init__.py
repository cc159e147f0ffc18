"""Subscriptions, the outbox with its delivery numbers, and the log of deliveries.

`liveblogs.write` leaves rows in the outbox; the dispatcher of each process reads them, claims receivers and records rounds.
"""
