"""People who sign in at the desk: accounts, sessions, second factors, tries, and what they have done.

Rows come in by the desk and the commands of the operator; values without secrets go out. `tables.py` has all of the tables.
"""
