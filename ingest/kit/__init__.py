"""What several rooms of ingest use: tasks, fair shares, the quarantine, a start, clocks.

Nothing here knows matches, webhooks or HTTP.
"""
