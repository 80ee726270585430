"""What commands print without --json: words and tables within 80 columns."""

import io

import pytest
from django.core.management import call_command
from django.db import OperationalError, connection

from annotator.management.base import WorkbenchCommand
from annotator.management.plain_text import WIDTH, document_lines, table_lines
from annotator.models import Campaign, Reference
from core.errors import Refused


def test_a_document_is_written_in_words_and_never_as_code() -> None:
    document = {
        "dataset": "demo",
        "campaign_created": True,
        "withheld": None,
        "notes": [],
        "report": ["Two claims were read.", "No heading was found."],
        "splits": {"train": 12, "test": 3},
        "labels": {"overall_quality": {"1": 4, "0": 1}, "logical_linkage": {"1": 2, "-1": 5}},
        "scorers": ["bleu-1", "rouge-l"],
        "share": 0.123456,
    }
    assert document_lines(document) == [
        "dataset: demo",
        "campaign created: yes",
        "withheld: none",
        "notes: none",
        "report:",
        "  Two claims were read.",
        "  No heading was found.",
        "splits:",
        "  train: 12",
        "  test: 3",
        "labels:",
        "                   1  0  -1",
        "  overall quality  4  1",
        "  logical linkage  2     5",
        "scorers: bleu-1, rouge-l",
        "share: 0.1235",
    ]


def test_long_sentences_and_wide_tables_stay_within_eighty_columns() -> None:
    table = [[f"{row} {column} " + "x" * 15 for column in range(9)] for row in range(3)]
    document = {"warnings": ["word " * 60] * 2, "rows": [{"a": 1, "b" * 50: 2, "c" * 50: 3}]}
    lines = [*table_lines(table), *document_lines(document)]
    assert max(map(len, lines)) <= WIDTH
    for row in table:
        assert all(any(cell in line for line in lines) for cell in row)


class Reading(WorkbenchCommand):
    """A command that reads a table, as most do first."""

    def carry_out(self, options):  # type: ignore[no-untyped-def]
        return {"campaigns": Campaign.objects.count()}


class Failing(WorkbenchCommand):
    """A command whose database fails for another reason than missing tables."""

    def carry_out(self, options):  # type: ignore[no-untyped-def]
        raise OperationalError("the disk is gone")


@pytest.fixture
def without_campaigns(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database whose tables have never been made."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'annotator'")
    monkeypatch.setattr(Campaign._meta, "db_table", "no_such_table")


def test_a_database_without_tables_is_refused_in_one_line(without_campaigns) -> None:
    err = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command(Reading(), stderr=err)
    assert ended.value.code == 1
    (line,) = err.getvalue().splitlines()
    assert "run `manage.py migrate`" in line


@pytest.mark.django_db
def test_another_error_of_the_database_is_not_taken_for_missing_tables() -> None:
    with pytest.raises(OperationalError, match="the disk is gone"):
        call_command(Failing())


class OnTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Telling(WorkbenchCommand):
    """A command that shows progress and then refuses."""

    def carry_out(self, options):  # type: ignore[no-untyped-def]
        self.log("Half done.")
        raise Refused("There is no such thing.")


def test_a_refusal_has_a_line_of_its_own_below_the_progress() -> None:
    err = OnTerminal()
    with pytest.raises(SystemExit):
        call_command(Telling(), stderr=err)
    assert err.getvalue().splitlines()[-2:] == ["\x1b[KHalf done.", "There is no such thing."]


@pytest.mark.django_db
def test_an_export_of_claims_says_which_references_it_left_out(capfdbinary) -> None:
    campaign = Campaign.objects.create(slug="bare", name="Bare")
    for number in range(3):
        Reference.objects.create(
            campaign=campaign, reference_id=f"r{number}", claims="1. A pump.", position=number
        )
    err = io.StringIO()
    call_command("export_claims", "bare", stderr=err)
    exported, left_out = err.getvalue().splitlines()
    assert exported == "Exported nothing."
    assert left_out.startswith("Left out 3 references without a candidate")
