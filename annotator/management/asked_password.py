"""A new password for commands: of the environment, else asked for on a terminal."""

import getpass
import os
import sys

from annotator.refusals import Refused


def asked_password() -> str:
    """Return what NEW_USER_PASSWORD holds, or what is typed twice."""
    given = os.environ.get("NEW_USER_PASSWORD")
    if given is not None:
        return given
    if not sys.stdin.isatty():
        raise Refused("Set NEW_USER_PASSWORD, or run this on a terminal to be asked for it.")
    typed = getpass.getpass("Password: ")
    if typed != getpass.getpass("Once more: "):
        raise Refused("The two are not the same; nothing was changed.")
    return typed
