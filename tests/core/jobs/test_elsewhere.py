"""A job that lacks a file or a package waits where another machine may have it, and fails else."""

from typing import Any

import pytest

from core.errors import Refused
from core.jobs import elsewhere
from core.jobs.rows import JobStatus
from core.jobs.running import run_job
from scoring.models import AgreementReport
from tests.faults import raising

pytestmark = pytest.mark.django_db


def came_from(error: Exception, *causes: Exception) -> Exception:
    """Return an error that was raised from others, the nearest first."""
    found: BaseException = error
    for cause in causes:
        found.__cause__ = cause
        found = cause
    return error


MISSING = came_from(Refused("The file is missing."), FileNotFoundError("x"))
MISSING_BELOW = came_from(ValueError("No model."), OSError("a"), FileNotFoundError("x"))
NOT_INSTALLED = ModuleNotFoundError("No module named 'torch'", name="torch")
CHANGED = came_from(Refused("The file was changed."), OSError("b"))


@pytest.fixture
def others(settings: Any, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Give what is answered when it is asked whether there are other machines."""
    settings.JOB_LEASE_SECONDS = 3600
    answers = [False]
    monkeypatch.setattr(elsewhere, "_asks", [lambda: answers[0]])
    return answers


def run(job: AgreementReport, error: Exception) -> AgreementReport:
    run_job(AgreementReport, job.pk, raising(error), noun="The report", refusals=(ValueError,))
    return AgreementReport.objects.get(pk=job.pk)


@pytest.mark.parametrize("error", [MISSING, MISSING_BELOW], ids=str)
@pytest.mark.parametrize("is_alone", [True, False])
def test_a_missing_file_is_waited_for_where_another_machine_may_have_it(
    job, others, error, is_alone
) -> None:
    others[0] = not is_alone
    row = run(job, error)
    assert row.status == (JobStatus.FAILED if is_alone else JobStatus.QUEUED)
    assert (str(error) in row.message, row.is_unreached) == (True, not is_alone)


def test_a_package_that_another_machine_may_have_is_waited_for(job, others) -> None:
    others[0] = True
    row = run(job, NOT_INSTALLED)
    assert row.status == JobStatus.QUEUED
    assert "The package torch is not installed where this was tried." in row.message


def test_a_package_that_nobody_else_can_have_fails_the_job(job, others) -> None:
    with pytest.raises(ModuleNotFoundError):
        run(job, NOT_INSTALLED)
    assert AgreementReport.objects.get(pk=job.pk).status == JobStatus.FAILED


def test_what_is_damaged_is_damaged_everywhere(job, others) -> None:
    others[0] = True
    assert run(job, CHANGED).status == JobStatus.FAILED
