"""The two queues of the workers."""

from enum import StrEnum


class Queues(StrEnum):
    """One worker serves one queue, so that a training never delays a report or a linear score."""

    WEB = "web"  # imports, reports, linear scores, sweeps: seconds to minutes, somebody waits
    GPU = "gpu"  # trainings and encoders' scores: minutes to hours, one at a time on a device
