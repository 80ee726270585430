"""What the inbox of a person shows: what waits, what is late, the pace to each deadline.

A fixed number of queries, however many campaigns: it is the page that everybody opens first. Of an
open campaign in which the person rates nothing is counted that another's rating moves.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db.models import Count, QuerySet
from django.shortcuts import resolve_url
from django.utils.formats import date_format
from django.utils.timezone import localtime

from annotator.access.scopes import campaigns_for, roles_of
from annotator.access.visibility import withheld_campaigns
from annotator.adjudication.rulings.prepared import prepared_by
from annotator.adjudication.rulings.queries import case_count
from annotator.assignments.rules import daily_target
from annotator.inbox.jobs import Kind, lines_of_jobs
from annotator.inbox.rows import Asked, Line, registered_lines
from annotator.inbox.visits import last_visit_of
from annotator.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignStatus,
    ClaimImport,
    Flag,
    ImportStage,
    Rating,
    ReliabilityReport,
    Role,
    User,
)
from core.clock import database_now
from core.jobs.rows import JobStatus
from patclaimeval.plurals import counted

WEEK: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a campaign goes beside how fast it has to; `day` is the deadline that decides."""

    line: Line
    is_behind: bool


@dataclass(frozen=True, slots=True)
class Inbox:
    """The lines of the home page; none where there is nothing."""

    waiting: tuple[Line, ...]
    late: tuple[Line, ...]
    pace: tuple[Pace, ...]
    finished: tuple[Line, ...]


def inbox_of(user: User) -> Inbox:
    """Return the inbox of a person."""
    now = database_now()
    week_ago = now - WEEK
    roles = roles_of(user)
    asked = Asked(user, roles, week_ago, last_visit_of(user, now) or week_ago)
    waiting: list[Line] = []
    late: tuple[Line, ...] = ()
    pace: tuple[Pace, ...] = ()
    if Role.ADJUDICATOR in roles:
        waiting += _to_rule(user)
    if Role.ADMIN in roles:
        run = {row.pk: row for row in campaigns_for(user, (Role.ADMIN,)).order_by("name")}
        waiting += _imports_to_confirm(run)
        withheld = withheld_campaigns(user)
        counted_ones = {pk: row for pk, row in run.items() if pk not in withheld}
        waiting += _flags(counted_ones)
        late, pace = _deadlines(counted_ones, now)
    own, others = lines_of_jobs(asked, _own_jobs(user, roles)), registered_lines(asked)
    return Inbox(
        (*waiting, *others.waiting, *own.waiting), late, pace, (*own.finished, *others.finished)
    )


def _to_rule(user: User) -> Iterable[Line]:
    url = resolve_url("annotator:adjudication")
    if cases := case_count(user):
        yield Line(f"{counted(cases, 'open case')} to rule on", url)
    if prepared := prepared_by(user).count():
        yield Line(f"{counted(prepared, 'prepared ruling')} to sign", url)


def _imports_to_confirm(run: Mapping[UUID, Campaign]) -> Iterable[Line]:
    rows = ClaimImport.objects.filter(
        campaign__in=[pk for pk, row in run.items() if row.is_open],
        stage=ImportStage.CHECK,
        status=JobStatus.SUCCEEDED,
    )
    found: defaultdict[UUID, list[UUID]] = defaultdict(list)
    for campaign, pk in rows.values_list("campaign_id", "pk"):
        found[campaign].append(pk)
    for campaign, row in run.items():
        if keys := found.get(campaign):
            waits = "waits" if len(keys) == 1 else "wait"
            text = f"{counted(len(keys), 'import')} into {row.name} {waits} for an answer"
            yield Line(text, _import_page(row.slug, keys[0]) if len(keys) == 1 else _imports(row))


def _import_page(slug: str, pk: UUID) -> str:
    return resolve_url("annotator:claim_import", slug, pk)


def _imports(campaign: Campaign) -> str:
    return resolve_url("annotator:import_claims", campaign.slug)


def _flags(run: Mapping[UUID, Campaign]) -> Iterable[Line]:
    rows = Flag.objects.filter(
        assignment__campaign__in=run, answered_at__isnull=True, closed_at__isnull=True
    )
    found = _numbers(rows, "assignment__campaign")
    for campaign, row in run.items():
        if number := found.get(campaign):
            url = f"{resolve_url('annotator:campaign', row.slug)}#flags"
            yield Line(f"{counted(number, 'flag')} without an answer in {row.name}", url)


def _deadlines(
    run: Mapping[UUID, Campaign], now: datetime
) -> tuple[tuple[Line, ...], tuple[Pace, ...]]:
    """Return what is overdue by campaign, and how fast those with a deadline to come go."""
    rows = Assignment.objects.filter(
        campaign__in=run,
        campaign__status=CampaignStatus.OPEN,
        status=AssignmentStatus.OPEN,
    )
    due: defaultdict[UUID, dict[datetime, int]] = defaultdict(dict)
    by_day = rows.order_by().values("campaign", "due_at").annotate(number=Count("pk"))
    for campaign, at, number in by_day.values_list("campaign", "due_at", "number"):
        if at is not None:
            due[campaign][at] = number
    given = Rating.objects.filter(
        assignment__campaign__in=run, submitted_at__gte=now - WEEK, submitted_at__lte=now
    )
    lately = _numbers(given, "assignment__campaign")
    late, pace = [], []
    for campaign, row in run.items():
        dates = due.get(campaign, {})
        plan = resolve_url("annotator:plan", row.slug)
        if over := sum(number for at, number in dates.items() if at < now):
            late.append(Line(f"{counted(over, 'candidate')} overdue in {row.name}", plan))
        if found := _pace(row, dates, lately.get(campaign, 0), now):
            pace.append(found)
    return tuple(late), tuple(pace)


def _pace(
    campaign: Campaign, dates: Mapping[datetime, int], lately: int, now: datetime
) -> Pace | None:
    each = (localtime(at) for at, number in dates.items() for _ in range(number))
    target = daily_target(each, localtime(now))
    if target is None:
        return None
    day = date_format(target.day, "l j F")
    # Exact, so that 6 in a week are not shown as 1 a day.
    text = (
        f"{campaign.name}: {target.count} a day to finish by {day}; {lately} "
        f"{'was' if lately == 1 else 'were'} rated in the last week"
    )
    url = resolve_url("annotator:campaign", campaign.slug)
    return Pace(Line(text, url), lately < target.count * WEEK.days)


def _numbers(rows: QuerySet[Flag] | QuerySet[Rating], by: str) -> dict[UUID, int]:
    return dict(rows.order_by().values_list(by).annotate(Count("pk")))


def _own_jobs(user: User, roles: frozenset[str]) -> tuple[Kind, ...]:
    kinds = []
    if Role.ADMIN in roles:
        run = campaigns_for(user, (Role.ADMIN,))
        kinds.append(
            Kind(
                "import",
                ClaimImport.objects.filter(asked_by=user, campaign__in=run),
                ("pk", "campaign__slug"),
                lambda pk, slug: _import_page(slug, pk),
                lambda _, slug: resolve_url("annotator:import_claims", slug),
                # One that was checked awaiting an answer, and storing it was watched.
                tells_end=False,
            )
        )
    if roles & {Role.ADMIN, Role.RESEARCHER}:
        measured = campaigns_for(user, (Role.ADMIN, Role.RESEARCHER))
        reports = ReliabilityReport.objects.filter(asked_by=user, campaign__in=measured)
        kinds.append(
            Kind(
                "reliability report",
                reports.exclude(campaign__in=withheld_campaigns(user)),
                ("pk", "campaign__slug"),
                lambda _, slug: resolve_url("annotator:reliability", slug),
                lambda _, slug: resolve_url("annotator:reliability", slug),
            )
        )
    return tuple(kinds)
