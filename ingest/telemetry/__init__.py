"""What operators read of a process: its counts and states come in; metrics, log lines and spans go out.

The daemon registers the parts, and no secret is in what leaves.
"""
