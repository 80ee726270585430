"""Programs that are forked from this one: nothing is imported twice, and all end with it.

    lifeline = Lifeline()
    program = Program("sweeper", sweep, lifeline)
    program.start()

Each is the leader of a session and a process group of its own, which whatever it starts belongs to.
All of its processes read a pipe that only this one can write to, and never does: the kernel closes
it however this process dies, and whoever reads its end kills the group.
"""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.context import ForkProcess
from pathlib import Path

_forking = multiprocessing.get_context("fork")
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Lifeline:
    """The pipe by which forked processes learn that the one that forked them is gone."""

    def __init__(self) -> None:
        self._end, self._held = os.pipe()

    def follow(self) -> None:
        """In a forked process: end its group with the parent, and have what it forks do the same.

        A thread waits, as the kernel's own notice (`prctl`) reaches one process and no group.
        """
        os.close(self._held)
        self._watch()
        os.register_at_fork(after_in_child=self._watch)

    def _watch(self) -> None:
        threading.Thread(target=self._wait, daemon=True, name="lifeline").start()

    def _wait(self) -> None:
        os.read(self._end, 1)
        os.killpg(0, signal.SIGKILL)


@dataclass
class Program:
    """One forked program: its process, its restarts."""

    name: str
    work: Callable[[], None]
    lifeline: Lifeline
    process: ForkProcess | None = None
    started_at: float = 0.0
    restart_at: float = 0.0
    failures: int = field(default=0)

    def start(self) -> None:
        """Fork; signals wait meanwhile, as the new process would take one for its parent's."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        try:
            process = _forking.Process(target=self._run, args=(before,), name=self.name)
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self.process = process
        self.started_at = time.monotonic()

    def _run(self, mask: set[int]) -> None:
        """Be a program of its own, in a session that Ctrl-C does not reach."""
        os.setsid()
        for number in STOP_SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        with suppress(OSError):  # what `ps` and `top` show, on Linux
            Path("/proc/self/comm").write_text(self.name)
        self.lifeline.follow()
        self.work()

    def is_running(self) -> bool:
        """Return whether the process lives."""
        return self.process is not None and self.process.is_alive()

    def ask_to_stop(self) -> None:
        """Let the program end its work in order."""
        if self.process is not None:
            self.process.terminate()

    def clear(self) -> int | None:
        """Kill whatever is left of the group; return the exit code, negative after a signal."""
        if self.process is None or self.process.pid is None:
            return None
        # Of the group nobody is left, as a rule; a process that was just forked has none yet.
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        code = self.process.exitcode
        self.process = None
        return code
