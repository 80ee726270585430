"""Programs that tests run in processes of their own, to see them die.

Each is forked from a process that has loaded the libraries already: a program that is killed at
twenty moments would else load them twenty times, which takes longer than the work.
"""

import os
import runpy
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from multiprocessing import get_context
from multiprocessing.connection import wait
from pathlib import Path
from typing import Final

from tests.served.server import ROOT

# What takes longest to load, and asks for no settings.
_CONTEXT: Final = get_context("forkserver")
_CONTEXT.set_forkserver_preload(
    [
        *("celery.app", "django.core.management", "django.db.models", "django.urls"),
        *("numpy", "scipy.sparse", "scipy.special"),
    ]
)

# Whoever starts a process also looks whether others have ended, and an ending can be read once.
_TURN: Final = threading.Lock()


def run_program(
    module: str, *arguments: str, env: Mapping[str, str], timeout: float = 600
) -> subprocess.CompletedProcess[str]:
    """Run a module as a program; the answer is that of subprocess.run with captured text."""
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        process = _CONTEXT.Process(
            target=_become, args=(module, arguments, dict(env), str(out), str(err))
        )
        with _TURN:
            process.start()
        ended = wait([process.sentinel], timeout)
        with _TURN:
            if not ended:
                process.kill()
            process.join()
        if not ended:
            raise subprocess.TimeoutExpired([module, *arguments], timeout)
        command = [module, *arguments]
        printed, complained = out.read_text(), err.read_text()
        return subprocess.CompletedProcess(command, process.exitcode, printed, complained)


def _become(
    module: str, arguments: tuple[str, ...], env: dict[str, str], out: str, err: str
) -> None:
    """Be the program from here on: its arguments, environment and outputs."""
    for stream, path in ((sys.stdout, out), (sys.stderr, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream.fileno())
    os.environ.clear()
    os.environ.update(env)
    # Read by the interpreter only when it starts.
    sys.dont_write_bytecode = bool(env.get("PYTHONDONTWRITEBYTECODE"))
    os.chdir(ROOT)
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
