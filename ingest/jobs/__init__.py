"""What a process does again and again: tasks come in with the time at which they are due, and are run by a clock.

Of several processes the one that leads runs the jobs. The daemon hands the table of tasks over.
"""
