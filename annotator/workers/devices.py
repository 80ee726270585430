"""Which GPU a worker's process computes on, where its worker was given several."""

import os

from billiard.process import current_process

VISIBLE = "CUDA_VISIBLE_DEVICES"


def device_of_slot(visible: str, slot: int) -> str:
    """Return the device of the so-manieth process, counted from 0, of those that are visible.

    `visible` lists devices with commas between, as CUDA reads it; one device stays what it is.
    """
    devices = [device.strip() for device in visible.split(",") if device.strip()]
    return devices[slot % len(devices)] if devices else visible


def bind_device(**_: object) -> None:
    """Leave this process of a pool one device: its own, as no other process of the pool has it.

    Called before CUDA is looked at for the first time. A process that is started in place of a
    dead one gets the dead one's slot.
    """
    visible, slot = os.environ.get(VISIBLE), getattr(current_process(), "index", None)
    if visible and slot is not None:
        os.environ[VISIBLE] = device_of_slot(visible, slot)
