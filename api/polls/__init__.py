"""Polls and quizzes of readers: votes come in; results go out to pages, streams, clients and files.

Routes call the endpoints; pages, feeds and streams are given the rest by the capability's row.
"""
