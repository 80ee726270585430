"""What scoring puts into the inbox: promotions, erasures, own jobs."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Q, QuerySet
from django.shortcuts import resolve_url

from annotator.access.scopes import campaigns_for
from annotator.inbox.jobs import Kind, lines_of_jobs
from annotator.inbox.rows import Asked, Line, Lines
from annotator.models import Role
from patclaimeval.plurals import counted
from scoring.access.scopes import MAY_READ
from scoring.datasets.freezing.queries import freezes_for
from scoring.erasures.queries import erasures_for
from scoring.models import ErasureStatus, PromotionAct
from scoring.scores.queries import score_requests_for
from scoring.training.model_versions.promotions import promotions_for
from scoring.training.model_versions.queries import reports_for, runs_for


def inbox_lines(asked: Asked) -> Lines:
    """Return the lines of a person, in a fixed number of queries."""
    jobs = lines_of_jobs(asked, _own_jobs(asked)) if asked.roles & set(MAY_READ) else Lines()
    waiting = (*_promotions(asked), *_erasures(asked))
    return Lines((*waiting, *jobs.waiting), jobs.finished)


def _promotions(asked: Asked) -> Iterable[Line]:
    if Role.ADMIN not in asked.roles:
        return
    # Who is admin of any campaign answers for a dataset of none.
    run = Q(campaign__in=campaigns_for(asked.user, (Role.ADMIN,))) | Q(campaign__isnull=True)
    rows = promotions_for(asked.user).filter(run, act=PromotionAct.ASKED, answer__isnull=True)
    models = list(rows.exclude(actor=asked.user).order_by("id").values_list("model", flat=True))
    if models:
        waits = "waits" if len(models) == 1 else "wait"
        text = f"{counted(len(models), 'promotion request')} {waits} for agreement"
        yield Line(text, resolve_url("scoring:model", models[0]))


def _erasures(asked: Asked) -> Iterable[Line]:
    if not asked.user.is_superuser:
        return
    rows = erasures_for(asked.user).filter(status=ErasureStatus.ASKED)
    if number := rows.exclude(asked_by=asked.user).count():
        waits = "waits" if number == 1 else "wait"
        text = f"{counted(number, 'erasure')} {waits} for a second person"
        yield Line(text, resolve_url("scoring:erasures"))


def _own_jobs(asked: Asked) -> tuple[Kind, ...]:
    user = asked.user

    def kind(noun: str, rows: QuerySet[Any], route: str, of_all: str) -> Kind:
        return Kind(
            noun,
            rows,
            ("pk",),
            lambda pk: resolve_url(f"scoring:{route}", pk),
            lambda _: resolve_url(f"scoring:{of_all}"),
        )

    return (
        kind("training", runs_for(user).filter(requested_by=user), "run", "runs"),
        kind("report", reports_for(user).filter(requested_by=user), "report", "reports"),
        kind("freeze", freezes_for(user).filter(asked_by=user), "freeze_page", "datasets"),
        kind("score request", score_requests_for(user), "scored", "score"),
    )
