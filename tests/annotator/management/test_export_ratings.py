import hashlib
import io
import json
import os
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotator.campaigns.services import create_campaign
from annotator.comparisons.services import assign_comparisons, submit_preference
from annotator.formats.label_studio import read
from annotator.imports.preferences.services import import_preferences
from annotator.models import AuditEvent, Campaign, Comparison, Preference, Unblinding, User
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA
from tests.annotator.formats.exports import as_bytes, item
from tests.annotator.rating_rows import START, prefer, rate, revise

SAMPLE = os.environ.get("PATENTEVAL_SAMPLE", "")
pytestmark = pytest.mark.django_db
WHY = ("--identified", "--reason", "to pay them")
Run = Callable[..., Any]


@pytest.fixture
def export(tmp_path: Path) -> Run:
    def run(*arguments: str, campaign: str = "cups", name: str = "jsonl") -> Any:
        target = tmp_path / f"ratings.{name}"
        call_command(
            *("export_ratings", campaign, "--format", name, "--output", str(target), *arguments),
            stdout=io.StringIO(),
            stderr=io.StringIO(),
        )
        content = target.read_bytes()
        if name == "jsonl":
            return [json.loads(line) for line in content.split(b"\n")[:-1]]
        return json.loads(content) if name.startswith("label-studio") else content.decode()

    return run


@pytest.fixture
def rated(cast) -> Any:
    first, second, _ = cast.reference("r1", 3).candidates.order_by("candidate_id")
    tags = [{"tag": "vagueness", "side": "candidate", "start": 3, "end": 8, "remark": "which?"}]
    row = rate(cast.alice, first, (9, 8, 7, 6), comment="good", error_tags=tags)
    revise(row, (9, 8, 7, 5))
    later = START + timedelta(minutes=1)
    more = {"is_blind": False, "round": 2, "active_seconds": 90, "submitted_at": later}
    rate(cast.bob, first, (1, 2, 3, 4), **more)
    prefer(cast.bob, first, second, overall_quality=-1, conceptual_clarity=1)
    return cast


def refused(*arguments: str) -> str:
    err = io.StringIO()
    with pytest.raises(SystemExit) as caught:
        call_command("export_ratings", *arguments, stdout=io.StringIO(), stderr=err)
    assert caught.value.code == 1
    return err.getvalue()


def test_every_rating_and_preference_is_exported_with_its_revisions(rated, export: Run) -> None:
    first, second, third = export()
    assert [line["kind"] for line in (first, second, third)] == ["rating", "rating", "preference"]
    assert first["scores"] == dict(zip(CRITERIA, (9, 8, 7, 5), strict=True))
    assert first["overall_quality"] == {"numerator": 81, "value": 7.36}
    assert (first["version"], first["comment"]) == (2, "good")
    assert first["error_tags"][0]["remark"] == "which?"
    assert [one["scores"]["logical_linkage"] for one in first["revisions"]] == [6, 5]
    assert first["revised_at"] > first["submitted_at"]
    assert (second["is_blind"], second["round"], second["active_seconds"]) == (False, 2, 90)
    assert third["judgements"] == {"conceptual_clarity": 1, "overall_quality": -1}
    assert third["annotator"] == second["annotator"] != first["annotator"]


def test_no_name_no_mail_and_no_id_of_a_user_is_exported(rated, export: Run) -> None:
    User.objects.filter(username="alice").update(email="alice@example.org", last_name="Archer")
    users = list(User.objects.all())
    secrets = ["example.org", "Archer", *(form for u in users for form in (str(u.pk), u.pk.hex))]
    # As a word: "ada" may stand in a digest.
    names = re.compile(r"\b(" + "|".join(re.escape(user.username) for user in users) + r")\b")
    for name in ("csv", "jsonl", "label-studio", "label-studio-tasks"):
        text = json.dumps(export(name=name))
        assert not any(secret in text for secret in secrets), name
        assert not names.search(text), name


def test_every_task_for_label_studio_has_an_annotation(rated, export: Run) -> None:
    tasks, items = export(name="label-studio-tasks"), export(name="label-studio")
    assert [task["data"]["output1"] for task in tasks] == [item["output1"] for item in items]
    assert tasks
    for task in tasks:
        (annotation,) = task["annotations"]
        assert annotation["result"][0]["value"] == {"selected": "right"}


def test_names_need_a_reason_and_every_export_is_on_record(rated, export: Run) -> None:
    assert "Give a short reason" in refused("cups", "--identified")
    assert not AuditEvent.objects.filter(action="ratings.exported").exists()
    assert {line["id"] for line in export()} == {None}
    lines = export(*WHY)
    assert {line["annotator"] for line in lines} == {"alice", "bob"}
    assert {line["id"] for line in lines} > {str(Preference.objects.get().pk)}
    event = AuditEvent.objects.filter(action="ratings.exported").latest("pk")
    assert event.campaign == rated.campaign and event.actor is None
    assert (event.details["is_identified"], event.details["reason"]) == (True, "to pay them")
    export("--reason", "not needed")
    event = AuditEvent.objects.filter(action="ratings.exported").latest("pk")
    assert (event.details["is_identified"], event.details["reason"]) == (False, "")
    assert not Unblinding.objects.exists()


def test_systems_are_named_once_closed_and_ratings_of_an_admin_are_marked(rated, export) -> None:
    assert {line.get("system") for line in export()} == {None}
    Campaign.objects.update(status="closed")
    rating, _, preference = export()
    assert rating["system"] == "systemcanary-0"
    assert preference["left_system"] == "systemcanary-0"
    assert preference["right_system"] == "systemcanary-1"
    rated.ada.memberships.create(campaign=rated.campaign, role="annotator")
    rate(rated.ada, rated.campaign.candidates.order_by("candidate_id")[2], (5, 5, 5, 5))
    assert [line["by_admin"] for line in export()] == [False, False, False, True]


def test_a_manifest_beside_the_file_says_that_it_is_whole(rated, export: Run, tmp_path) -> None:
    export()
    manifest = json.loads((tmp_path / "ratings.jsonl.manifest.json").read_text())
    content = (tmp_path / "ratings.jsonl").read_bytes()
    assert manifest["sha256"] == hashlib.sha256(content).hexdigest()
    assert manifest["bytes"] == len(content)
    assert manifest["counts"] == {"preferences": 1, "ratings": 2}
    assert len(list(tmp_path.iterdir())) == 2


def test_an_empty_campaign_gives_an_empty_file(cast, export: Run) -> None:
    assert export() == []
    assert export(name="csv").count("\r\n") == 1
    assert export(name="label-studio") == []


def test_places_where_no_file_can_be_are_refused_before_anything(rated, tmp_path) -> None:
    assert "is a folder" in refused("cups", "--output", str(tmp_path))
    assert "no folder" in refused("cups", "--output", str(tmp_path / "none" / "a.csv"))
    assert "both write to stdout" in refused("cups", "--json")
    assert "There is no campaign 'none'" in refused("none")
    assert not AuditEvent.objects.filter(action="ratings.exported").exists()


def test_stdout_takes_the_bytes_and_nothing_else(rated, capsysbinary) -> None:
    call_command("export_ratings", "cups", "--format", "jsonl", stderr=io.StringIO())
    out = capsysbinary.readouterr().out
    kinds = [json.loads(line)["kind"] for line in out.splitlines()]
    assert kinds == ["rating", "rating", "preference"]


def bring(*items: dict[str, Any], campaign: Campaign | None = None) -> Campaign:
    campaign = campaign or create_campaign(slug="elsewhere")
    import_preferences(campaign=campaign, records=read(io.BytesIO(as_bytes(*items))))
    return campaign


def back(export: Run, *arguments: str) -> list[dict[str, Any]]:
    return export(*arguments, campaign="elsewhere", name="label-studio")


def test_annotations_of_a_file_are_given_back_as_they_came(export: Run) -> None:
    items = [
        item(comment2="\u2028 e\u0301 \U0001f600", dimension1={"choices": ["Clarity - Vagueness"]}),
        item(comparison="[{'selected': 'right'}]", output1="2. A jug."),
        item(output1="2. A lid.", output2="2. A lid.", annotator=99),
        item(updated_at="2024-04-22T16:32:51+01:00", agreement=50.0),
    ]
    bring(*items)
    found = back(export, *WHY)
    assert found == items
    assert [list(one) for one in found] == [list(one) for one in items]


def test_without_names_only_the_numbers_of_annotators_change(export: Run) -> None:
    items = [item(), item(annotator=8), item(output1="2. A lid.", output2="2. A lid.")]
    items += [item(output1="2. A pin.", output2="2. A pin.", annotator=99)]
    bring(*items)
    found = back(export)
    assert [one | {"annotator": 0} for one in found] == [one | {"annotator": 0} for one in items]
    numbers = [one["annotator"] for one in found]
    assert numbers[0] == numbers[2] and len(set(numbers)) == 3
    assert not set(numbers) & {7, 8, 99}


def test_an_annotation_revised_here_is_given_back_as_it_stands_now(export: Run) -> None:
    coloured = {"end": 2, "text": "2.", "start": 0, "labels": ["UNK"]}
    one = item(mark1=[coloured], dimension2="Clarity - Vagueness", comment1="old")
    turned = item(output1=one["output2"], output2=one["output1"], updated_at="2024-05-01T00:00:00Z")
    campaign = bring(one, item(output1="2. A jug."))
    bring(turned, campaign=campaign)
    comparison = Comparison.objects.get(imported_annotations__annotation=one["annotation_id"])
    comparison.annotator.is_active = True
    comparison.annotator.save()
    tags = [{"tag": "vagueness", "side": "left", "start": 3, "end": 8}]
    version = comparison.preference.version
    submit_preference(
        comparison_id=comparison.pk,
        annotator=comparison.annotator,
        judgements=dict.fromkeys(ALL_CRITERIA, 0),
        comment="now",
        version=version,
    )
    Preference.objects.filter(comparison=comparison).update(error_tags=tags)
    before, other, now = back(export, *WHY)
    assert before == one
    # The newer item has the sides the other way round: what is left here is right there.
    assert "comparison" not in now and now["comment1"] == "now"
    assert now["mark2"][-1]["labels"] == ["Clarity - Vagueness"]
    assert now["updated_at"] > turned["updated_at"] and now["lead_time"] == turned["lead_time"]
    assert other["output1"] == "2. A jug."


def test_preferences_made_here_can_be_read_again(cast, export: Run) -> None:
    reference = cast.reference("r1", 2)
    left, right = reference.candidates.order_by("candidate_id")
    left.claims = "1. \U0001f600 A mug with a lid."
    left.save()
    (row,) = assign_comparisons(campaign=cast.campaign, annotator=cast.alice, pairs=[(left, right)])
    side = "left" if row.left == left else "right"
    tags = [
        {"tag": "vagueness", "side": side, "start": 5, "end": 10},
        {"tag": "claim-numbering-error", "side": side},
    ]
    submit_preference(
        comparison_id=row.pk,
        annotator=cast.alice,
        judgements=dict.fromkeys(ALL_CRITERIA, -1),
        comment="why\n=1",
    )
    Preference.objects.update(error_tags=tags)
    found = export(name="label-studio")
    (again,) = read(io.BytesIO(json.dumps(found).encode()))
    assert (again.judgement, again.comment) == (-1, "why\n=1")
    assert list(again.error_tags) == tags
    assert (again.reference_claims, again.ipc) == (reference.claims, reference.ipc)
    number = "1" if side == "left" else "2"
    # The smiling face takes two units of UTF-16, as browsers count.
    assert found[0][f"mark{number}"][0]["start"] == 6
    assert found[0][f"dimension{number}"] == "Format - Claim Numbering Error"


@pytest.mark.skipif(not SAMPLE, reason="PATENTEVAL_SAMPLE names no file: the sample is not shipped")
def test_the_published_sample_comes_back_without_loss(export: Run, tmp_path) -> None:
    original = json.loads(Path(SAMPLE).read_text())
    campaign = create_campaign(slug="elsewhere")
    with Path(SAMPLE).open("rb") as file:
        import_preferences(campaign=campaign, records=read(file))
    found = back(export, *WHY)
    assert sum(a == b for a, b in zip(found, original, strict=True)) == 137
    assert [list(one) for one in found] == [list(one) for one in original]
    hidden = back(export)
    assert [one | {"annotator": 0} for one in hidden] == [
        one | {"annotator": 0} for one in original
    ]
    assert len({one["annotator"] for one in hidden}) == 2
