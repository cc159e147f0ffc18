"""What of a provider's answers is believed: additions at once, steps back by a second answer.

What was believed and a new answer come in; what is believed from now on goes out, with the doubts that are left. `ingest/sync`
calls it at each changed poll.
"""
