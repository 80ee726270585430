"""The two queues of the workers."""

from enum import StrEnum


class Queues(StrEnum):
    """One worker serves one queue, so that a training never delays a report."""

    WEB = "web"  # imports, reports, sweeps: seconds to minutes, somebody waits at a screen
    GPU = "gpu"  # training and neural scoring: minutes to hours, one at a time on a device
