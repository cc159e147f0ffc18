"""Whether the command line takes a command, without running it."""

from __future__ import annotations

import typer


def check_line(app, arguments):
    """Names the sub-command; raises click's UsageError for an unknown command, option or value."""
    command = typer.main.get_command(app)
    arguments, path = list(arguments), "matchwire"
    context = None
    while True:
        context = command.make_context(path, arguments, parent=context)
        if not hasattr(command, "commands"):
            return context
        path, command, arguments = command.resolve_command(context, [*context._protected_args, *context.args])
