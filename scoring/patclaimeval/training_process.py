"""One of the processes that fine-tune a model together; `several_processes.py` starts them.

python -m scoring.patclaimeval.training_process start N     torchrun with N of the other
python -m scoring.patclaimeval.training_process take-part   one of them, started by torchrun
"""

from __future__ import annotations

import json
import os
import select
import sys
import threading
import traceback
from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import torch
from safetensors.torch import load, save

from core.files import atomic_write
from scoring.patclaimeval.config import TrainingSettings
from scoring.patclaimeval.data import Progress, Quadruplet
from scoring.patclaimeval.encoder_training import (
    extra_features,
    load_settings_encoder,
    own_random_state,
)
from scoring.patclaimeval.errors import PatClaimEvalError
from scoring.patclaimeval.finetune import finetune
from scoring.patclaimeval.memory import device_errors_reported
from scoring.patclaimeval.network import LinearHead, PairScorer
from scoring.patclaimeval.process_group import ProcessGroup
from scoring.patclaimeval.several_processes import PROCESS, TUNED
from scoring.patclaimeval.training_state import StateStore

MOST_RESTARTS: Final = 2
"""Where a process is killed, all begin again so often, from the state that was saved last."""
LONGEST_WAIT: Final = timedelta(minutes=10)
"""For one another, within a step."""


def start(count: int) -> None:
    """Run the processes by torchrun, which starts all again where one is killed."""
    from torch.distributed.run import main

    meeting = _read_work()[0]["meeting"]
    # Files where they meet, instead of ports that others could reach.
    main(
        [
            *("--nnodes=1", f"--nproc-per-node={count}", f"--max-restarts={MOST_RESTARTS}"),
            *("--rdzv-backend=c10d", f"--rdzv-endpoint={meeting}/torchrun"),
            *("--rdzv-conf=store_type=file", "--local-addr=127.0.0.1"),
            *("-m", PROCESS, "take-part"),
        ]
    )


def take_part() -> None:
    """Train as one of several, and report as the first.

    Where one is killed, the others fail, and torchrun starts all again.
    """
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    group = ProcessGroup(rank, size)
    work, weights = _read_work()
    try:
        with device_errors_reported():
            _train(group, work, weights)
    except PatClaimEvalError as error:
        _send(failed=str(error))


def _train(group: ProcessGroup, work: dict[str, Any], weights: bytes) -> None:
    settings = TrainingSettings(**work["settings"])
    directory = Path(work["directory"])
    device = settings.device
    if device != "cpu":
        device = f"cuda:{group.rank}"
        torch.cuda.set_device(device)
    attempt = os.environ["TORCHELASTIC_RESTART_COUNT"]
    torch.distributed.init_process_group(
        "gloo" if device == "cpu" else "cpu:gloo,cuda:nccl",
        init_method=f"file://{work['meeting']}/attempt-{attempt}",
        rank=group.rank,
        world_size=group.size,
        timeout=LONGEST_WAIT,
    )
    encoder = load_settings_encoder(settings)
    encoder.use_precision(settings.precision or "fp32", device)
    columns = work["columns"]
    start = load(weights)
    head = LinearHead(len(start["head.weight"]), clip=work["clip"])
    network = PairScorer(encoder, head, settings.pooling)
    network.load_state_dict(start)
    network.to(device)
    with own_random_state(settings.seed + group.rank):
        tuned = finetune(
            network,
            extra_features(columns, torch.device(device)),
            [Quadruplet(**row) for row in work["training"]],
            [Quadruplet(**row) for row in work["validation"]],
            replace(settings, device=device),
            {(reference, candidate): n for reference, candidate, n in work["tokens"]},
            _report if group.is_first else lambda progress: None,
            StateStore(**work["states"]),
            group,
        )
    if group.is_first:
        found = {name: each.cpu().contiguous() for name, each in network.state_dict().items()}
        atomic_write(directory / TUNED, [save(found)])
        _send(tuned=asdict(tuned))
    torch.distributed.destroy_process_group()


def _report(progress: Progress) -> None:
    _send(progress=asdict(progress))


def _send(**message: Any) -> None:
    # One call a line: other processes write to the same pipe.
    os.write(1, json.dumps(message).encode() + b"\n")


def _read_work() -> tuple[dict[str, Any], bytes]:
    """Return what is to be done and the first weights, from a file that all processes share."""
    size = os.fstat(0).st_size
    content = b""
    while len(content) < size:
        content += os.pread(0, size - len(content), len(content))
    end = 8 + int.from_bytes(content[:8])
    return json.loads(content[8:end]), content[end:]


def _end_with_reader() -> None:
    """End this process once nobody reads what it reports any more."""
    watched = select.poll()
    watched.register(1, 0)
    watched.poll()
    os._exit(1)


def _note_error(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Write where an error came from, and not its text, which may quote claims."""
    traceback.print_tb(trace)
    sys.stderr.write(f"{kind.__name__}\n")


if __name__ == "__main__":
    sys.excepthook = _note_error
    threading.Thread(target=_end_with_reader, daemon=True).start()
    if sys.argv[1] == "start":
        start(int(sys.argv[2]))
    else:
        take_part()
