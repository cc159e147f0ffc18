"""Webhook deliveries: committed versions come in from the outbox, signed requests go out to receivers, in order.

The dispatcher notices what is new and wakes a worker for each receiver; the public hub is pinged beside them.
"""
