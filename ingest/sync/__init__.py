"""The sync: providers' answers come in, and liveblogs that say what their match says go out, in one unit a poll.

The followers poll what this process has leased; the importer creates liveblogs for the API and for what the configuration
declares. The daemon builds both.
"""
