"""A balanced plan over REST: what it would come to, and carrying it out."""

from typing import Any, cast

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator.access.gate import counted_campaign
from annotator.models import User
from annotator.planning.forms import BalancedForm
from annotator.planning.queries import PlanTable, plan_table
from annotator.planning.services import carry_out_plan, preview_plan
from core.forms import LARGEST_VERSION
from core.rest.bodies import TRUTH, body, cleaned


class NewPlanSerializer(serializers.Serializer):
    """Who takes part; with a digest, the plan must be the one that was previewed."""

    annotators = serializers.ListField(child=serializers.CharField())
    due_on = serializers.DateField(required=False, allow_null=True)
    seed = serializers.IntegerField(
        required=False, default=0, min_value=0, max_value=LARGEST_VERSION
    )
    digest = serializers.CharField(required=False, allow_null=True, allow_blank=True)
    dry_run = serializers.BooleanField(required=False, default=False)


class ShareSerializer(serializers.Serializer):
    """What one annotator gets."""

    username = serializers.CharField()
    references = serializers.IntegerField()
    candidates = serializers.IntegerField()


class LeftOutSerializer(serializers.Serializer):
    """Places that find nobody, and why."""

    reason = serializers.CharField()
    places = serializers.IntegerField()


class PlanSerializer(serializers.Serializer):
    """A plan in counts."""

    digest = serializers.CharField()
    is_carried_out = serializers.BooleanField()
    assignments = serializers.IntegerField()
    annotators = ShareSerializer(many=True)
    left_out = LeftOutSerializer(many=True)


class Plan(APIView):
    """Assigns every free place to annotators; a dry run stores nothing."""

    @extend_schema(request=NewPlanSerializer, responses={200: PlanSerializer, 201: PlanSerializer})
    def post(self, request: Request, slug: str) -> Response:
        row = counted_campaign(request, slug)
        kinds = dict.fromkeys(BalancedForm.base_fields, (lambda value: True, ""))
        sent = {"seed": 0} | body(request, kinds | {"dry_run": TRUTH}, ["annotators"])
        is_dry = sent.pop("dry_run", False)
        form = BalancedForm(row, sent)
        wish = cleaned(form)
        people = list(wish["annotators"])
        previewed = preview_plan(campaign=row, annotators=people, seed=wish["seed"])
        table = plan_table(row, previewed.plan, people)
        if not is_dry:
            previewed = carry_out_plan(
                campaign=row,
                annotators=people,
                due_at=form.due_at,
                seed=wish["seed"],
                by=cast(User, request.user),
                digest=wish["digest"] or previewed.digest,
            )
        document = plan_json(table, previewed.digest) | {"is_carried_out": not is_dry}
        return Response(document, status=200 if is_dry else 201)


def plan_json(table: PlanTable, digest: str) -> dict[str, Any]:
    """Return a plan in counts."""
    return {
        "digest": digest,
        "assignments": table.count,
        "annotators": [
            {"username": one.username, "references": one.references, "candidates": one.candidates}
            for one in table.rows
        ],
        "left_out": [{"reason": one.reason, "places": one.places} for one in table.left_out],
    }
