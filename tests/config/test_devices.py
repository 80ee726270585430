"""Each process of a worker that was given several GPUs computes on one of its own."""

import os
from types import SimpleNamespace

import pytest
from celery.signals import worker_process_init

from config import celery
from config.celery import VISIBLE, bind_device, device_of_slot


@pytest.mark.parametrize(
    ("visible", "given"),
    [
        ("0,1,2", ["0", "1", "2", "0"]),
        (" 4 , GPU-8a ", ["4", "GPU-8a", "4", "GPU-8a"]),
        ("3", ["3", "3", "3", "3"]),
        ("", ["", "", "", ""]),
        (",", [",", ",", ",", ","]),
    ],
)
def test_devices_are_given_out_by_slot(visible: str, given: list[str]) -> None:
    assert [device_of_slot(visible, slot) for slot in range(4)] == given


@pytest.mark.parametrize(
    ("visible", "slot", "then"), [("0,1", 1, "1"), ("0,1", None, "0,1"), (None, 1, None)]
)
def test_a_process_of_a_pool_sees_its_own_device_only(
    monkeypatch: pytest.MonkeyPatch, visible: str | None, slot: int | None, then: str | None
) -> None:
    process = SimpleNamespace() if slot is None else SimpleNamespace(index=slot)
    monkeypatch.setattr(celery, "current_process", lambda: process)
    monkeypatch.delenv(VISIBLE, raising=False)
    if visible is not None:
        monkeypatch.setenv(VISIBLE, visible)
    bind_device()
    assert os.environ.get(VISIBLE) == then


def test_every_process_of_a_worker_is_bound_when_it_starts() -> None:
    import config.celery  # noqa: F401 - connects it

    assert any(receiver() is bind_device for _, receiver in worker_process_init.receivers)
