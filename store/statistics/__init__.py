"""Readers' statistics: counts and sketches that batches add up, rolled up by quarter and day.

Each process adds its batches; `api.statistics` reads sums, and the jobs roll up and forget.
"""
