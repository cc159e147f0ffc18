"""What whoever runs the service does to a whole database: back up, restore, examine, move an organization.

Commands call it beside a daemon, or while none runs; files and findings go out.
"""
