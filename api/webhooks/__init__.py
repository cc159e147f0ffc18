"""Subscriptions of an organization and the log of its deliveries: requests of clients come in, documents go out.

Routes and the command call it; `ingest/webhooks` delivers.
"""
