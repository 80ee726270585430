"""The schedule of a campaign over REST: read, switch on and off, stop what runs."""

from typing import Any, Final

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from annotator.access.gate import read_campaign
from annotator.models import Campaign
from core.errors import OutOfDate
from core.rest.bodies import TEXT, TRUTH, WHOLE, body
from core.rest.fields import MomentField
from scoring.access.api import PermittedView, person, version_of
from scoring.models import Chain, ChainStatus, Outcome, Schedule
from scoring.schedules.queries import (
    WITHHELD,
    chain_under_way,
    chains_of,
    describe_state,
    latest_schedule,
    standing_schedule,
)
from scoring.schedules.rules import LAST_HOUR, MOST_SETTLED
from scoring.schedules.services import ENDED_ALREADY, OFF_ALREADY, stop_chain, switch_off, switch_on

FIELDS: Final = {
    "dataset": TEXT,
    "after_settled": WHOLE,
    "at_hour": WHOLE,
    "asks_with_concerns": TRUTH,
}


class NewScheduleSerializer(serializers.Serializer):
    """What a schedule begins with: one of a number of candidates or an hour of the day (UTC)."""

    dataset = serializers.CharField(help_text="NAME@VERSION, whose test references stay")
    after_settled = serializers.IntegerField(required=False, min_value=1, max_value=MOST_SETTLED)
    at_hour = serializers.IntegerField(required=False, min_value=0, max_value=LAST_HOUR)
    asks_with_concerns = serializers.BooleanField(required=False)


class StepSerializer(serializers.Serializer):
    """What a chain does for one criterion; `outcome` is empty until it is known."""

    criterion = serializers.CharField()
    promoted = serializers.UUIDField(source="promoted_id", help_text="what it is compared with")
    run = serializers.UUIDField(source="run_id", allow_null=True)
    model = serializers.UUIDField(source="run.model.pk", allow_null=True, default=None)
    report = serializers.UUIDField(source="report_id", allow_null=True)
    outcome = serializers.ChoiceField(choices=[("", ""), *Outcome.choices])
    sentence = serializers.CharField()


class ChainSerializer(serializers.Serializer):
    """One time that a schedule freezes, trains, reports and compares."""

    id = serializers.UUIDField()
    status = serializers.ChoiceField(choices=ChainStatus.choices)
    dataset = serializers.CharField(
        source="freeze.version.full_name", allow_null=True, default=None
    )
    message = serializers.CharField()
    created_at = MomentField()
    finished_at = MomentField(allow_null=True)
    steps = StepSerializer(many=True)


class ScheduleSerializer(serializers.Serializer):
    """The schedule of a campaign as it stands, or the last one; nulls where there was none."""

    campaign = serializers.CharField()
    is_on = serializers.BooleanField()
    state = serializers.CharField()
    after_settled = serializers.IntegerField(allow_null=True)
    at_hour = serializers.IntegerField(allow_null=True)
    dataset = serializers.CharField(allow_null=True)
    asks_with_concerns = serializers.BooleanField(allow_null=True)
    created_at = MomentField(allow_null=True)
    ended_at = MomentField(allow_null=True)
    chain = ChainSerializer(allow_null=True, help_text="the latest")


class ScheduleOfCampaign(PermittedView):
    """The schedule of a campaign; a POST switches one on, a DELETE switches it off."""

    @extend_schema(responses=ScheduleSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return _answer(_campaign(request, slug))

    @extend_schema(request=NewScheduleSerializer, responses={201: ScheduleSerializer})
    def post(self, request: Request, slug: str) -> Response:
        campaign = _campaign(request, slug)
        sent = body(request, FIELDS, {"dataset"})
        version = version_of(request, sent.pop("dataset"))
        switch_on(campaign=campaign, switched_on_by=person(request), version=version, **sent)
        return _answer(campaign, status=201)

    @extend_schema(responses={200: ScheduleSerializer})
    def delete(self, request: Request, slug: str) -> Response:
        campaign = _campaign(request, slug)
        row = standing_schedule(campaign)
        if row is None:
            raise OutOfDate(OFF_ALREADY)
        switch_off(schedule=row, switched_off_by=person(request))
        return _answer(campaign)


class StopChain(PermittedView):
    """Stops the chain that runs; the schedule stays switched on."""

    @extend_schema(request=None, responses=ScheduleSerializer)
    def post(self, request: Request, slug: str) -> Response:
        campaign = _campaign(request, slug)
        row = chain_under_way(campaign)
        if row is None:
            raise OutOfDate(ENDED_ALREADY)
        stop_chain(chain=row, stopped_by=person(request))
        return _answer(campaign)


def _campaign(request: Request, slug: str) -> Campaign:
    campaign, reader = read_campaign(request, slug)
    if reader.is_withheld:
        raise PermissionDenied(WITHHELD)
    return campaign


def _answer(campaign: Campaign, status: int = 200) -> Response:
    schedule = latest_schedule(campaign)
    chain = next(iter(chains_of(campaign)), None)
    return Response(ScheduleSerializer(_document(campaign, schedule, chain)).data, status=status)


def _document(campaign: Campaign, schedule: Schedule | None, chain: Chain | None) -> dict[str, Any]:
    names = ("after_settled", "at_hour", "asks_with_concerns", "created_at", "ended_at")
    return {
        "campaign": campaign.slug,
        "is_on": schedule is not None and schedule.ended_at is None,
        "state": describe_state(schedule) if schedule else "Off.",
        **{name: getattr(schedule, name, None) for name in names},
        "dataset": schedule.first_version.full_name if schedule else None,
        "chain": chain,
    }
