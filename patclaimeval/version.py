"""The version of the application, as the changelog names it."""

from typing import Final

VERSION: Final = "0.2.0.dev0"
