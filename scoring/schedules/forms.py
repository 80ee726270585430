"""The form that switches a schedule on."""

from typing import Any, Final

from django import forms

from annotator.models import Campaign
from core.forms import RefusableForm, TickField, WholeNumberField
from scoring.access.forms import VersionField
from scoring.models import DatasetVersion
from scoring.schedules.queries import usual_version, versions_to_begin_with
from scoring.schedules.rules import FEWEST_TESTED, LAST_HOUR, MOST_SETTLED

BY_COUNT, BY_HOUR = "count", "hour"
RHYTHMS: Final = (
    (BY_COUNT, "after so many newly settled candidates"),
    (BY_HOUR, "each night, where a candidate was settled since"),
)


class ScheduleForm(RefusableForm):
    """When a chain begins, on which test references, and whether it asks in spite of concerns."""

    places = {"dataset": "version"}

    rhythm = forms.ChoiceField(
        label="Begin", choices=RHYTHMS, widget=forms.RadioSelect, initial=BY_COUNT
    )
    after_settled = WholeNumberField(
        label="Newly settled candidates",
        min_value=1,
        max_value=MOST_SETTLED,
        required=False,
        initial=100,
    )
    at_hour = WholeNumberField(
        label="Hour of the night, UTC",
        min_value=0,
        max_value=LAST_HOUR,
        required=False,
        initial=2,
    )
    version = VersionField(
        DatasetVersion.objects.none(),
        label="Test references of",
        empty_label="Choose",
        help_text="The version that the promoted models were trained on. Its test references are "
        f"tested in every report of the schedule and never train; at least {FEWEST_TESTED} of them "
        "need a label.",
    )
    asks_with_concerns = TickField(
        label="Request promotion in spite of concerns",
        required=False,
        help_text="Concerns, such as a test that calls a baseline better, then "
        "stand in the request for the admin to read. Without the tick, a model with concerns is "
        "not requested. A model that the test finds worse never is.",
    )

    def __init__(self, campaign: Campaign, data: Any = None, **more: Any) -> None:
        super().__init__(data, label_suffix="", **more)
        version = self.fields["version"]
        assert isinstance(version, forms.ModelChoiceField)
        version.queryset = versions_to_begin_with(campaign)
        self.initial.setdefault("version", getattr(usual_version(campaign), "pk", None))

    def clean(self) -> dict[str, Any]:
        """Drop the number of the rhythm that was not chosen, and miss that of the other."""
        cleaned = self.cleaned_data
        other, own = ("after_settled", "at_hour")
        if cleaned.get("rhythm") != BY_HOUR:
            other, own = own, other
        cleaned[other] = None
        self.errors.pop(other, None)
        if cleaned.get(own) is None and own not in self.errors and "rhythm" in cleaned:
            self.add_error(own, "Give a number.")
        return cleaned

    @property
    def asked(self) -> dict[str, Any]:
        """What was asked for, as keywords of the service."""
        names = ("version", "after_settled", "at_hour", "asks_with_concerns")
        return {name: self.cleaned_data[name] for name in names}
