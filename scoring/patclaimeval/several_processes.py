"""Fine-tunes over several GPUs of one machine: processes of `torchrun`, seen from outside.

The texts reach them by a file without a name. A pipe brings what they report, and its end is what
ends them: nothing of theirs outlives the process that waits for them.
"""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, Final

import torch
from safetensors.torch import load_file, save

from scoring.patclaimeval.config import TrainingSettings
from scoring.patclaimeval.data import Pair, Progress, Quadruplet
from scoring.patclaimeval.errors import TrainingFailed
from scoring.patclaimeval.finetune import Tuned
from scoring.patclaimeval.network import PairScorer
from scoring.patclaimeval.training_state import StateStore

PROCESS: Final = f"{__package__}.training_process"
TUNED: Final = "tuned.safetensors"
"""The file beside the states by which the first process hands its weights over."""
SECONDS_BETWEEN_CHECKS: Final = 1.0
ENDED: Final = (
    "A process of this training ended before its time, and so did those that took its place: the "
    "operator finds why in the worker's log. Memory is the usual reason. Train with fewer "
    "processes, or with a smaller encoder."
)


def finetune_together(
    network: PairScorer,
    columns: int,
    training: Sequence[Quadruplet],
    validation: Sequence[Quadruplet],
    settings: TrainingSettings,
    tokens: Mapping[Pair, int],
    on_progress: Callable[[Progress], None],
    states: StateStore,
) -> Tuned:
    """Do what ``finetune`` does, by ``settings.processes`` processes, each on a device of its own.

    ``columns`` is the number of named features beside the pooled state, 0 or all of them. The
    weights are those of one process but for the order of sums and the draws of dropout. Raises
    ``TrainingFailed``, and what ``on_progress`` raises; no process is left then.
    """
    refuse_too_many(settings)
    with (
        _directory(states) as directory,
        tempfile.TemporaryDirectory() as meeting,
        tempfile.TemporaryFile(dir=directory) as work,
    ):
        rows = {
            "settings": settings.as_dict(),
            "columns": columns,
            "clip": network.head.clip,
            "training": [asdict(item) for item in training],
            "validation": [asdict(item) for item in validation],
            "tokens": [[*pair, length] for pair, length in tokens.items()],
            "directory": str(directory),
            "meeting": meeting,
            "states": states.as_dict(),
        }
        text = json.dumps(rows).encode()
        work.write(len(text).to_bytes(8))
        work.write(text)
        work.write(save({name: each.contiguous() for name, each in network.state_dict().items()}))
        work.flush()
        found = _run(work, settings, on_progress)
        network.load_state_dict(load_file(directory / TUNED))
        (directory / TUNED).unlink()
    network.eval()
    return Tuned(**found)


def refuse_too_many(settings: TrainingSettings) -> None:
    """Raise ``TrainingFailed`` where more GPUs are asked for than this machine has."""
    if settings.device == "cpu":
        return
    count = torch.cuda.device_count()
    if settings.processes > count:
        raise TrainingFailed(
            f"{settings.processes} processes were asked for, each with a GPU of its own; this "
            f"machine has {count}. Ask for at most {count}."
        )


@contextmanager
def _directory(states: StateStore) -> Iterator[Path]:
    """Give the directory of the states, or one that is removed in the end."""
    if states.directory is not None:
        states.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        yield states.directory
        return
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def _run(
    work: IO[bytes],
    settings: TrainingSettings,
    on_progress: Callable[[Progress], None],
) -> dict[str, Any]:
    """Start the processes, pass on what they report, and return what the first one found."""
    command = [sys.executable, "-m", PROCESS, "start", str(settings.processes)]
    environment = os.environ | _environment(settings)
    with subprocess.Popen(command, stdin=work, stdout=subprocess.PIPE, env=environment) as program:
        assert program.stdout is not None
        # However the block is left, the pipe is closed, and the processes end.
        with program.stdout as pipe:
            latest: Progress | None = None
            for message in _messages(pipe.fileno()):
                if message is None and latest is not None:
                    on_progress(latest)
                elif message and "progress" in message:
                    latest = Progress(**message["progress"])
                    on_progress(latest)
                elif message and "failed" in message:
                    raise TrainingFailed(message["failed"])
                elif message and "tuned" in message:
                    found: dict[str, Any] = message["tuned"]
                    return found
    raise TrainingFailed(ENDED)


def _environment(settings: TrainingSettings) -> dict[str, str]:
    """Return what the processes need to find the code, and to stay on this machine."""
    (loopback, *_) = [name for _, name in socket.if_nameindex() if name.startswith("lo")]
    threads = max(1, (os.cpu_count() or 1) // settings.processes)
    return {
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "OMP_NUM_THREADS": str(threads),
        "GLOO_SOCKET_IFNAME": loopback,
        "NCCL_SOCKET_IFNAME": loopback,
    }


def _messages(descriptor: int) -> Iterator[dict[str, Any] | None]:
    """Yield each message of the processes; None where there was none for a while."""
    held = b""
    while True:
        if not select.select([descriptor], [], [], SECONDS_BETWEEN_CHECKS)[0]:
            yield None
            continue
        piece = os.read(descriptor, 1 << 16)
        if not piece:
            return
        *lines, held = (held + piece).split(b"\n")
        for line in lines:
            # Libraries print there, too.
            if line.startswith(b'{"'):
                yield json.loads(line)
