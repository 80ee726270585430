"""Moments of a program's work: it counts them, and kills itself at a stated one."""

import os
import signal
from typing import Any


class Moments:
    """Counts moments from 1 and dies at the fatal one; with 0 the program lives."""

    def __init__(self, fatal: int) -> None:
        self.count = 0
        self._fatal = fatal

    def __call__(self, *_: object) -> None:
        self.count += 1
        if self.count == self._fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    def statement(self, run: Any, *asked: Any) -> Any:
        """Be a wrapper of the database, to which each statement is a moment."""
        self()
        return run(*asked)
