"""Statistics of readers: pages, periods, and sketches that count without knowing anybody.

What a page reports of a load comes in; the places, slots and sums under which it counts go out. `api/statistics` and
`store/statistics` call it.
"""
