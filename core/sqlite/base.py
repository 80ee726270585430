"""Django's SQLite backend with a fair wait for the one write lock (docs/adr/0010).

SQLite answers a taken lock with sleeps of up to 100 ms, during which others overtake: with eight
writers one of twenty waited half a second for transactions of 4 ms. Here the threads of a process
stand in line, and only the first of each line asks SQLite, every millisecond or so.
"""

import random
import threading
import time
from typing import Any, Final

from django.db import OperationalError
from django.db.backends.sqlite3 import base

from core.audit_chain import seal

# Seconds; of a random length, so that two processes do not ask in step.
SHORTEST_PAUSE: Final = 0.0005
LONGEST_PAUSE: Final = 0.0015
TAKEN: Final = "database is locked"
# One line a process, whatever the database: a process has one.
_line = threading.Lock()


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection whose write transactions wait for their turn.

    Django's types leave out what a backend is made of.
    """

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._is_first = False

    def get_new_connection(self, parameters: Any) -> Any:
        """Connect, with the function that the triggers of the audit trail chain with."""
        connection = self._connect(parameters)
        connection.create_function("audit_seal", -1, seal, deterministic=True)
        return connection

    def _connect(self, parameters: Any) -> Any:
        """Connect, however often it takes: SQLite asks for the journal mode without waiting.

        Of two programs that open a new database at one moment, one finds it locked.
        """
        deadline = time.monotonic() + self.settings_dict["OPTIONS"]["timeout"]
        while True:
            try:
                return super().get_new_connection(parameters)
            except base.Database.OperationalError as error:  # type: ignore[attr-defined]
                if TAKEN not in str(error) or time.monotonic() >= deadline:
                    raise
                time.sleep(random.uniform(SHORTEST_PAUSE, LONGEST_PAUSE))

    def _start_transaction_under_autocommit(self) -> None:
        patience = self.settings_dict["OPTIONS"]["timeout"]
        deadline = time.monotonic() + patience
        if not _line.acquire(timeout=patience):
            raise OperationalError(TAKEN)
        self._is_first = True
        try:
            self._begin(deadline)
        except BaseException:
            self._step_out()
            raise

    def _begin(self, deadline: float) -> None:
        ask = self.connection.execute
        ask("PRAGMA busy_timeout=0")
        try:
            while time.monotonic() < deadline:
                try:
                    # Past Django's cursor, which costs several times what an answer of SQLite does.
                    ask(f"BEGIN {self.transaction_mode}")  # type: ignore[attr-defined]
                except base.Database.OperationalError as error:  # type: ignore[attr-defined]
                    if TAKEN not in str(error):
                        break
                    time.sleep(random.uniform(SHORTEST_PAUSE, LONGEST_PAUSE))
                else:
                    return
            # Once more, so that Django raises its own error.
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        finally:
            patience = int(self.settings_dict["OPTIONS"]["timeout"] * 1000)
            ask(f"PRAGMA busy_timeout={patience}")

    def _commit(self) -> None:
        try:
            super()._commit()  # type: ignore[misc]
        finally:
            self._step_out()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._step_out()

    def close(self) -> None:
        """Close, and let the next one have its turn if a transaction was open."""
        try:
            super().close()
        finally:
            self._step_out()

    def _step_out(self) -> None:
        if self._is_first:
            self._is_first = False
            _line.release()
