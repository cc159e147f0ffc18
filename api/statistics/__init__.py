"""Numbers of readers: beacons of pages come in and are summed in memory, a writer stores them, numbers and files go out.

Pages send the beacons, clients and the desk read the numbers; the daemon runs the writer by the capability's row.
"""
