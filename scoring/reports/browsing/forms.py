"""Which items of a report are listed, in which order: what an address may ask for."""

from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.utils.http import urlencode

from core.forms import DiscreetForm, NumberField, WholeNumberField
from patclaimeval.agreement.item_table import (
    DIFFER,
    FIRST,
    RIGHT,
    SAME,
    SECOND,
    WRONG,
    ItemTable,
    Wanted,
)

LABELS: Final = (("1", "B better"), ("0", "equal"), ("-1", "C better"))
ANY: Final = ("", "any")
ASCENDING, DESCENDING = "asc", "desc"
SORTS: Final = (
    ("", "usual"),
    ("error", "size of the error"),
    ("difference", "score(B) - score(C)"),
    ("one-right", "where one alone is right"),
    ("label", "label of people"),
    ("reference", "reference"),
    ("number", "number in the dataset"),
)
ORDERS: Final = (ANY, (ASCENDING, "ascending"), (DESCENDING, "descending"))
SHORT: Final = forms.TextInput({"inputmode": "decimal", "size": "6"})


class ItemsForm(DiscreetForm):
    """A filter and an order; a field that is empty takes all.

    Hidden fields are set by links of the report alone.
    """

    scorer = forms.ChoiceField(required=False)
    second = forms.ChoiceField(label="Against", required=False)
    label = forms.ChoiceField(label="People say", required=False, choices=(ANY, *LABELS))
    prediction = forms.ChoiceField(label="It says", required=False, choices=(ANY, *LABELS))
    second_prediction = forms.ChoiceField(
        required=False, choices=(ANY, *LABELS), widget=forms.HiddenInput
    )
    outcome = forms.ChoiceField(
        label="It is", required=False, choices=(ANY, (RIGHT, "right"), (WRONG, "wrong"))
    )
    both = forms.ChoiceField(
        label="The two",
        required=False,
        choices=(
            ANY,
            (SAME, "say the same"),
            (DIFFER, "differ"),
            (FIRST, "the first alone is right"),
            (SECOND, "the second alone is right"),
        ),
    )
    error = NumberField(label="Error at least", required=False, min_value=0, widget=SHORT)
    group = forms.ChoiceField(required=False)
    reference = WholeNumberField(label="Reference no.", required=False, min_value=1, widget=SHORT)
    candidate = WholeNumberField(required=False, min_value=1, widget=forms.HiddenInput)
    orders = forms.ChoiceField(
        required=False,
        choices=(ANY, (SAME, "the same"), (DIFFER, "another")),
        widget=forms.HiddenInput,
    )
    sort = forms.ChoiceField(label="Sorted by", required=False, choices=SORTS)
    order = forms.ChoiceField(required=False, choices=ORDERS, widget=forms.HiddenInput)

    def __init__(
        self,
        data: Mapping[str, Any],
        scorers: list[tuple[str, str]],
        groups: list[tuple[str, str]],
    ) -> None:
        # What the address does not say is shown as it is usual: the menu must name the scorer of
        # the table below it. An order that is none sorts nothing, as on the other pages.
        given = {name: str(data.get(name, "")) for name in self.base_fields}
        given["scorer"] = given["scorer"] or scorers[0][0]
        for name, known in (("sort", SORTS), ("order", ORDERS)):
            given[name] = given[name] if given[name] in dict(known) else ""
        self._given = given
        super().__init__(given, label_suffix="", auto_id="items_%s")
        first, second, group = (self._choices(name) for name in ("scorer", "second", "group"))
        first.choices = scorers
        second.choices = [("", "none"), *scorers]
        group.choices = [ANY, *groups]

    def _choices(self, name: str) -> forms.ChoiceField:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        return field

    def clean(self) -> None:
        super().clean()
        chosen = self.cleaned_data
        if chosen.get("second") and chosen.get("second") == chosen.get("scorer"):
            self.add_error("second", "Choose another one than the first.")
        if not chosen.get("second"):
            for name in ("both", "second_prediction"):
                if chosen.get(name):
                    self.add_error("second", "Choose the second scorer.")
                    break

    def wanted(self, table: ItemTable) -> Wanted | None:
        """Return what was asked for, None when something of it is wrong."""
        if not self.is_valid():
            return None
        chosen = self.cleaned_data
        key, _, place = chosen["group"].partition(":")
        usual = "one-right" if chosen["second"] else "error"
        sort = chosen["sort"] or usual
        order = chosen["order"] or (DESCENDING if sort == "error" else ASCENDING)
        return Wanted(
            scorer=chosen["scorer"],
            second=chosen["second"],
            label=_label(chosen["label"]),
            prediction=_label(chosen["prediction"]),
            second_prediction=_label(chosen["second_prediction"]),
            outcome=chosen["outcome"],
            both=chosen["both"],
            error=chosen["error"],
            group=(key, [*table.groups[key]][int(place)]) if key else None,
            reference=_from_zero(chosen["reference"]),
            candidate=_from_zero(chosen["candidate"]),
            orders=chosen["orders"],
            sort=sort,
            is_descending=order == DESCENDING,
        )

    def address(self, **changed: Any) -> str:
        """Return the query of this list, or of one that differs in some fields."""
        named = self._given | {name: str(value) for name, value in changed.items()}
        return urlencode({name: value for name, value in named.items() if value})

    @property
    def shown(self) -> list[forms.BoundField]:
        """The fields that a person fills in."""
        needs_second = set() if self._given["second"] else {"both"}
        return [field for field in self.visible_fields() if field.name not in needs_second]

    @property
    def linked(self) -> list[forms.BoundField]:
        """What a link of the report asked for beside them."""
        return [field for field in self.hidden_fields() if self._given[field.name]]


def _label(chosen: str) -> int | None:
    return int(chosen) if chosen else None


def _from_zero(number: int | None) -> int | None:
    return None if number is None else number - 1
