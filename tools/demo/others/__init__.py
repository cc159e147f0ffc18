"""The demo's matches of other sports than soccer: what is reported of them, and how it becomes a recording."""
