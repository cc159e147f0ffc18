"""Alarms: what is wrong now comes in from the followers, the quarantine and the tables, every five seconds.

Rows, a log line, a gauge and a message to the operator's address go out, once when a trouble begins and once when it ends. The
daemon starts the monitor.
"""
