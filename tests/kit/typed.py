"""Whether the command line takes a command, without running it."""

from __future__ import annotations

from functools import cache

import typer

UsageFault = typer.BadParameter.__mro__[1]
"""click's UsageError, wherever this version of Typer has it from."""


class MissingArgument(Exception):
    """What is needed is not there; all that is there is well."""


command_of = cache(typer.main.get_command)


def line_fault(app, arguments):
    """What is wrong with the command, None if nothing; a group alone is well."""
    command, path, context = command_of(app), "matchwire", None
    try:
        while arguments or not hasattr(command, "commands"):
            context = command.make_context(path, list(arguments), parent=context)
            arguments = [*context._protected_args, *context.args]
            if not arguments or not hasattr(command, "commands"):
                return None
            path, command, arguments = command.resolve_command(context, arguments)
    except typer.Exit:  # --help, --version
        return None
    except UsageFault as fault:
        return MissingArgument(str(fault)) if type(fault).__name__ == "MissingParameter" else fault
    return None
