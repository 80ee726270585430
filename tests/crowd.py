"""Many acts from one moment on, each in a thread and over a database connection of its own."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from django.db import connection

# Ends a hanging test; nothing is asserted about speed.
LONGEST_WAIT_SECONDS: Final = 120


def at_once(acts: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run each act in a thread of its own, all from one moment on; return what they return.

    An act that raises gives its exception in the place of an answer.
    """
    gate = threading.Barrier(len(acts))
    answers: list[Any] = [None] * len(acts)

    def run(number: int) -> None:
        try:
            gate.wait(timeout=LONGEST_WAIT_SECONDS)
            answers[number] = acts[number]()
        except Exception as error:  # noqa: BLE001 - a finding, looked at by the test
            answers[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


@contextmanager
def meanwhile(act: Callable[[], object]) -> Iterator[None]:
    """Run the act in a thread of its own while the block runs, and wait for its end."""
    thread = threading.Thread(target=act)
    thread.start()
    yield
    thread.join()
