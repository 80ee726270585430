"""From the figures of a report to the items that they count, and what of them each person sees."""

import csv
import io
import re
from dataclasses import replace
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import pytest
from django.http import QueryDict
from django.test import Client

from annotator.context.services import store_context
from annotator.models import AuditEvent, Rating, Reference, Unblinding
from annotator.operations.backups.tables import columns_of, lines_of, load_lines
from patclaimeval.agreement.item_table import choose, unpack
from patclaimeval.documents.context import Context, Paragraph
from patclaimeval.documents.drawings import sheets_of
from patclaimeval.text_io.text import text_sha256
from scoring.datasets.texts.services import permit_texts
from scoring.models import AgreementReport, DatasetVersion, ReportItems
from scoring.reports.browsing.forms import ItemsForm
from scoring.reports.browsing.queries import Browsed, browsed, item_row
from tests.conftest import grant
from tests.patclaimeval.documents.pictures import picture
from tests.scoring.asked_reports import carried_out, request
from tests.scoring.conftest import FrozenScene, claim_set, dataset_rows, imported, shown, signed_in
from tests.scoring.report_documents import report_document
from tests.scoring.report_rows import stored, words

LINK: Final = re.compile(r'<a href="(/reports/[^"/]+/items/\?[^"]*)">(\d+)</a>')
# The token of a form is random and may contain these letters, so look for the whole word.
MUG: Final = re.compile(r"\bmug\b")
SCORERS: Final = ("bleu-1", "rouge-l", "patclaimeval-0")


def made(version: DatasetVersion, *names: str, **more: Any) -> AgreementReport:
    return carried_out(request(version, *(names or SCORERS), **more))


def mixed_rows() -> list[Any]:
    """Twelve references; of some a candidate is the reference itself."""
    rows = dataset_rows(12)
    return [
        replace(row, b=row.reference) if at % 5 == 0 else replace(row, extras={"ipc": "AB"[at % 2]})
        for at, row in enumerate(rows)
    ]


@pytest.fixture
def public(cast: Any, data_directory: Any) -> AgreementReport:
    """A report on a dataset of no campaign."""
    return made(imported("published", mixed_rows()))


def items_of(client: Client, report: AgreementReport, query: str = "") -> str:
    return shown(client, f"/reports/{report.pk}/items/{query}")


def counted(page: str) -> int:
    found = re.search(r'role="status"><strong>(\d+)</strong>', page)
    assert found, "a list says how long it is"
    return int(found[1])


def listed(page: str) -> list[int]:
    """The numbers of the items of a list, in its order."""
    return [int(one) for one in re.findall(r'/items/(\d+)/\?[^"]*">\d+</a> <code', page)]


def test_every_linked_count_is_as_large_as_its_list(rita, cast, public) -> None:
    pages = [shown(rita, f"/reports/{public.pk}/?scorer=rouge-l")]
    compare = f"/reports/compare/?a={public.pk}&first=rouge-l&second=length"
    pages.append(shown(rita, compare))
    links = {link for page in pages for link in LINK.findall(page)}
    kinds = {kind_of(address) for address, _ in links}
    for wanted in (
        {"scorer", "label", "prediction"},
        {"label"},
        {"scorer", "group"},
        {"group"},
        {"scorer", "second", "both"},
        {"scorer", "second", "prediction", "second_prediction"},
    ):
        assert wanted in kinds, wanted
    assert len(links) > 60
    found = browsed(cast.rita, public, public.result)
    for address, count in links:
        form = ItemsForm(QueryDict(urlsplit(address.replace("&amp;", "&")).query), *choices(found))
        asked = form.wanted(found.items)
        assert asked is not None, form.errors
        assert len(choose(found.items, asked)) == int(count), address
    # One of each kind as its page says it.
    for kind in kinds:
        address, count = next(one for one in sorted(links) if kind_of(one[0]) == kind)
        assert counted(shown(rita, address.replace("&amp;", "&"))) == int(count), address


def kind_of(address: str) -> frozenset[str]:
    """The names of the filters of a link."""
    return frozenset(parse_qs(urlsplit(address.replace("&amp;", "&")).query))


def choices(found: Browsed) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    return found.scorers, found.groups


def test_a_list_opens_with_the_largest_errors(rita, public) -> None:
    page = items_of(rita, public, "?scorer=length&outcome=wrong")
    table = unpack(bytes(public.items.content))
    errors = [table.errors("length")[one - 1] for one in listed(page)]
    assert errors == sorted(errors, reverse=True) and errors[0] > 0
    assert listed(items_of(rita, public, "?sort=number")) == list(range(1, 37))


def test_two_scorers_are_compared_on_what_one_alone_has_right(rita, public) -> None:
    query = "?scorer=bleu-1&second=identity&both=differ"
    page = items_of(rita, public, query)
    table = unpack(bytes(public.items.content))
    one, other, y = table.predicted["bleu-1"], table.predicted["identity"], table.y
    is_right = [(one[at - 1] == y[at - 1]) != (other[at - 1] == y[at - 1]) for at in listed(page)]
    assert is_right == sorted(is_right, reverse=True) and True in is_right
    found = {
        key: int(re.search(rf"both={key}[^>]*>[^<]* (\d+)</a>", page)[1])  # type: ignore[index]
        for key in ("same", "differ", "first", "second")
    }
    assert found["same"] + found["differ"] == 36
    for key, count in found.items():
        assert counted(items_of(rita, public, query.replace("differ", key))) == count


def test_a_wrong_filter_is_said_at_its_field(rita, public) -> None:
    address = f"/reports/{public.pk}/items/"
    for query, why in (
        ("scorer=nobody", "not one of the available choices"),
        ("error=far", "Enter a number"),
        ("reference=0", "greater than or equal to 1"),
        ("second=bleu-1", "another one than the first"),
        ("both=same", "Choose the second scorer"),
        ("group=system:0", "not one of the available choices"),
        ("candidate=x", "Enter a whole number"),
    ):
        assert why in shown(rita, address, 422, **parse_qs(query, keep_blank_values=True)), query
        assert rita.get(f"{address}export/?{query}").status_code == 422
    assert listed(items_of(rita, public, "?sort=-password&order=up")) == listed(
        items_of(rita, public)
    )
    assert "No item is so." in items_of(rita, public, "?reference=99")


def test_dots_and_intervals_lead_to_items(rita, public) -> None:
    page = shown(rita, f"/reports/{public.pk}/?scorer=rouge-l")
    dots = re.findall(r'<a href="([^"]+)" tabindex="-1"><circle[^>]+><title>([^<]+)</title>', page)
    table = unpack(bytes(public.items.content))
    assert len(dots) == 36
    for at, (address, title) in enumerate(dots):
        assert address == f"/reports/{public.pk}/items/{at + 1}/?scorer=rouge-l"
        label, difference = title.split(", ")
        assert (float(label), float(difference)) == (
            table.y[at],
            float(f"{table.differences['rouge-l'][at]:.3g}"),
        )
    assert '/items/?scorer=bleu-1#pulls"' in page
    pulls = items_of(rita, public, "?scorer=bleu-1")
    found = re.findall(r'reference=(\d+)">(\d+)</a>', pulls.partition('id="pulls"')[2])
    assert len(found) == 5
    for reference, count in found:
        assert counted(items_of(rita, public, f"?reference={reference}")) == int(count) == 3


def test_an_item_of_a_public_dataset_opens_with_its_texts_and_the_reasons(rita, public) -> None:
    page = shown(rita, f"/reports/{public.pk}/items/2/?scorer=rouge-l&outcome=wrong")
    said = words(page)
    assert "housing" in page and 'id="reading"' in page
    assert "not in C" not in page.partition('id="panes"')[0]
    for heading in ("BLEU-1", "Most frequent label", "Labels of people", "Reference r0"):
        assert heading in said
    assert "PatClaimEval-0: Why candidate B scores as it does beside candidate C" in said
    assert '/items/?scorer=rouge-l&amp;outcome=wrong" data-action="queue"' in page
    assert rita.get(f"/reports/{public.pk}/items/37/").status_code == 404
    assert rita.get(f"/reports/{public.pk}/items/0/").status_code == 404


def test_the_way_through_a_list_follows_its_order(rita, public) -> None:
    query = "?scorer=length&outcome=wrong"
    order = listed(items_of(rita, public, query))
    page = shown(rita, f"/reports/{public.pk}/items/{order[1]}/{query}")
    before, after = (
        re.search(rf'/items/(\d+)/[^"]*" rel="{rel}"', page) for rel in ("prev", "next")
    )
    assert before and after and (int(before[1]), int(after[1])) == (order[0], order[2])


def test_reading_aids_are_switched_with_and_without_a_script(rita, cast, public) -> None:
    address = f"/reports/{public.pk}/items/2/"
    assert "shows-diff" in shown(rita, address)
    answer = rita.post(f"{address}reading/?scorer=length", {"aid": "diff off"})
    assert (answer.status_code, answer["Location"]) == (303, f"{address}?scorer=length")
    assert "shows-diff" not in shown(rita, address)
    scripted = rita.post(f"{address}reading/", {"aid": "diff on"}, headers={"HX-Request": "true"})
    assert "shows-diff" in scripted.content.decode() and "<html" not in scripted.content.decode()
    answer = rita.post(f"{address}reading/", {"aid": "colour on"}, follow=True)
    assert "There is no reading aid" in answer.content.decode()


def test_a_list_leaves_as_csv_with_every_number_and_is_on_record(rita, cast, public) -> None:
    answer = rita.get(f"/reports/{public.pk}/items/export/?scorer=length&outcome=wrong")
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]
    assert answer["Export-By"] == "rita" and "Confidential" in answer["Export-Notice"]
    assert 'filename="items-published-1-feature-completeness-all.csv"' in str(answer.headers)
    lines = list(csv.DictReader(io.StringIO(text)))
    page = items_of(rita, public, "?scorer=length&outcome=wrong")
    assert [int(line["item"]) for line in lines] == listed(page)
    assert answer["Export-Records"] == str(len(lines))
    table = unpack(bytes(public.items.content))
    assert "housing" not in text
    for line in lines:
        at = int(line["item"]) - 1
        assert int(line["y"]) == table.y[at] == int(line["y_feature_completeness"])
        for name in ("bleu-1", "length"):
            b, c = table.scores[name][:, at]
            assert (float(line[f"{name} B"]), float(line[f"{name} C"])) == (b, c)
            assert float(line[f"{name} difference"]) == table.differences[name][at]
            assert float(line[f"{name} error"]) == table.errors(name)[at]
            assert int(line[f"{name} label"]) == table.predicted[name][at]
        assert line["majority B"] == "" and line["majority label"]
        assert line["reference_id"].startswith("r")
    act = AuditEvent.objects.get(action="report.items_exported")
    assert (act.actor, act.object_id) == (cast.rita, str(public.pk))
    assert act.details["items"] == len(lines)


def test_a_report_from_before_items_were_stored_says_so(rita, of_campaign) -> None:
    report = stored(of_campaign, report_document())
    assert "/items/" not in shown(rita, f"/reports/{report.pk}/")
    for path in ("", "1/", "export/"):
        page = shown(rita, f"/reports/{report.pk}/items/{path}")
        assert "computed before reports stored which items" in page
        assert f"?again={report.pk}#ask" in page


def test_a_damaged_dataset_file_is_said(rita, public, data_directory) -> None:
    (path,) = (data_directory / "datasets").glob("*.jsonl")
    path.unlink()
    for each in (data_directory / "cache").glob("rows-*"):
        each.unlink()
    for path in ("", "1/", "export/"):
        answer = rita.get(f"/reports/{public.pk}/items/{path}")
        assert answer.status_code >= 400 and "message-error" in answer.content.decode()
    assert not AuditEvent.objects.filter(action="report.items_exported").exists()


# What a campaign's people see.


@pytest.fixture
def measured(scene: FrozenScene) -> AgreementReport:
    """A report on a version of the campaign, which is open."""
    Rating.objects.filter(candidate__candidate_id="c3").update(
        error_tags=[{"tag": "claim-numbering-error", "side": "candidate"}]
    )
    scene.scenario.name_systems()
    return made(scene.freeze(), "bleu-1", "length")


def test_a_researcher_sees_no_text_of_a_campaign_until_an_admin_permits_it(scene, measured) -> None:
    rita, ada = signed_in(scene.rita), signed_in(scene.ada)
    version, address = measured.dataset_version, f"/reports/{measured.pk}/items/1/"
    page = shown(rita, address)
    assert not MUG.search(page) and "Why" not in words(page)
    assert "ask trial-ada" in words(page)
    assert MUG.search(shown(ada, address))
    version_page = f"/datasets/{version.dataset.full_name}/{version.number}/"
    assert "Who reads the claim texts" not in shown(rita, version_page)
    sent = {"person": "trial-rita", "reason": "to read where scorers err"}
    assert rita.post(f"{version_page}texts/", sent).status_code == 403
    assert "This field is required" in shown_after(
        *(ada, f"{version_page}texts/", sent | {"reason": " "}, 422)
    )
    told = shown_after(ada, f"{version_page}texts/", sent)
    assert "trial-rita may read the claim texts now." in told and sent["reason"] in told
    assert MUG.search(shown(rita, address))
    assert MUG.search(shown(rita, f"{version_page}quadruplets/1/"))
    permission = version.text_permissions.get()
    other = made(scene.freeze(seed=8), "length")
    assert not MUG.search(shown(rita, f"/reports/{other.pk}/items/1/"))
    assert rita.post(f"/datasets/texts/{permission.pk}/revoke/").status_code == 403
    revoke = f"/datasets/texts/{permission.pk}/revoke/"
    assert "1 permission ends at once: trial-rita" in words(shown_after(ada, revoke, {}))
    assert MUG.search(shown(rita, address))
    told = shown_after(ada, revoke, {"confirmed": "1"})
    assert "trial-rita reads the claim texts no more." in told
    assert not MUG.search(shown(rita, address))
    acts = AuditEvent.objects.filter(action__startswith="dataset.texts_").order_by("pk")
    assert [act.action for act in acts] == ["dataset.texts_permitted", "dataset.texts_revoked"]
    for act in acts:
        assert (act.actor, act.campaign) == (scene.ada, scene.campaign)
        assert (act.object_id, act.details["reason"]) == (str(scene.rita.pk), sent["reason"])


def shown_after(client: Client, path: str, body: dict[str, str], status: int = 200) -> str:
    answer = client.post(path, body, follow=True)
    assert answer.status_code == status
    return answer.content.decode()


def test_only_a_researcher_of_the_campaign_can_be_permitted(scene, measured) -> None:
    version, ada = measured.dataset_version, signed_in(scene.ada)
    path = f"/datasets/{version.dataset.full_name}/{version.number}/texts/"
    for name in ("trial-alice", "trial-ada", "nobody"):
        assert "Select a valid choice" in shown_after(
            ada, path, {"person": name, "reason": "x"}, 422
        )
    sent = {"version": version, "reason": "x", "permitted_by": scene.ada}
    permit_texts(person=scene.rita, **sent)
    for person, why in ((scene.rita, "already"), (scene.people["alice"], "Choose a researcher")):
        with pytest.raises(Exception, match=why):
            permit_texts(person=person, **sent)


def test_who_rates_gets_neither_items_nor_texts_while_the_campaign_is_open(scene, measured) -> None:
    permit_texts(
        version=measured.dataset_version, person=scene.rita, reason="x", permitted_by=scene.ada
    )
    grant(scene.rita, scene.campaign, "adjudicator")
    rita = signed_in(scene.rita)
    assert "/items/" not in shown(rita, f"/reports/{measured.pk}/")
    for path in ("", "1/", "export/"):
        page = shown(rita, f"/reports/{measured.pk}/items/{path}", 403)
        assert "Hidden while you rate or adjudicate" in page and "mug" not in page
    grant(scene.rita, scene.campaign, "annotator")
    assert rita.get(f"/reports/{measured.pk}/items/").status_code == 404
    scene.close()
    assert MUG.search(shown(rita, f"/reports/{measured.pk}/items/1/"))


def test_public_items_are_withheld_from_who_judges_somewhere(cast, public) -> None:
    grant(cast.rita, cast.campaign, "adjudicator")
    rita = signed_in(cast.rita)
    assert "/items/" not in shown(rita, f"/reports/{public.pk}/")
    shown(rita, f"/reports/{public.pk}/items/", 403)


def test_ids_tags_and_systems_are_told_as_the_campaign_allows(scene, measured) -> None:
    rita, ada = signed_in(scene.rita), signed_in(scene.ada)
    tag = "By error tag: Claim Numbering Error"
    page = items_of(rita, measured)
    assert tag not in page and "By system" not in page and ">r0<" not in page
    assert tag in items_of(ada, measured) and "By system" not in items_of(ada, measured)
    assert 'tabindex="-1"><circle' not in shown(rita, f"/reports/{measured.pk}/")
    line = export_of(rita, measured)[0]
    assert not {"reference_id", "b_id", "ratings_ids"} & set(line) and line["ratings"] == "6"
    scene.close()
    closed = made(measured.dataset_version, "bleu-1", "length")
    page = items_of(rita, closed)
    assert tag in page and "By system: ash" in page
    assert Unblinding.objects.filter(user=scene.rita, shown="systems").exists()
    key = re.search(r'value="(system:\d)">By system: ash', page)
    assert key
    assert counted(items_of(rita, closed, f"?group={key[1]}")) == 6
    tagged = re.search(rf'value="(tag:\d)">{tag}', page)
    assert tagged
    assert counted(items_of(rita, closed, f"?group={tagged[1]}")) == 6
    assert {"reference_id", "b_id", "ratings_ids"} <= set(export_of(rita, closed)[0])
    # A campaign that is opened again hides them again.
    row = scene.campaign
    row.status = "open"
    row.save()
    assert "By system" not in items_of(rita, closed)


def export_of(client: Client, report: AgreementReport) -> list[dict[str, str]]:
    answer = client.get(f"/reports/{report.pk}/items/export/")
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]
    return list(csv.DictReader(io.StringIO(text)))


def test_a_dot_of_a_rating_leads_to_its_candidate_for_who_reads_ratings(scene, measured) -> None:
    ada = signed_in(scene.ada)
    page = shown(ada, f"/reports/{measured.pk}/?scorer=length")
    dots = re.findall(r'<a href="([^"]+)" tabindex="-1"><circle[^>]+><title>([^<]+)</title>', page)
    table = unpack(bytes(measured.items.content))
    assert len(dots) == len(table.points) == 9
    for address, title in dots:
        candidate = int(parse_qs(urlsplit(address.replace("&amp;", "&")).query)["candidate"][0])
        assert float(title.partition(",")[0]) == table.points[candidate - 1]
        listed_there = listed(shown(ada, address.replace("&amp;", "&")))
        assert len(listed_there) == 2
        for place in listed_there:
            assert candidate - 1 in table.pairs[:, place - 1]


def test_other_criteria_of_the_same_items_are_a_click_away(rita, cast, data_directory) -> None:
    rows = [
        replace(row, y=dict.fromkeys(("overall_quality", "logical_linkage"), 1))
        for row in dataset_rows(3)
    ]
    version = imported("both", rows)
    one, other = (made(version, "length", criterion=key) for key in rows[0].y)
    page = items_of(rita, one, "?scorer=length")
    assert f'/reports/{other.pk}/items/?scorer=length"' in page
    assert ReportItems.objects.count() == 2


def test_texts_never_stand_in_what_is_stored(public) -> None:
    content = bytes(public.items.content)
    assert claim_set("machine0", ["pump"])[:20].encode() not in content
    table = unpack(content)
    assert "machine" not in str(table.groups) + str(list(table.predicted))


def test_items_come_back_from_a_backup(public) -> None:
    lines, content = list(lines_of(ReportItems)), bytes(public.items.content)
    ReportItems.objects.all().delete()
    load_lines(ReportItems, columns_of(ReportItems), lines)
    assert bytes(ReportItems.objects.get(report=public).content) == content


def test_context_is_shown_to_who_reads_the_claims_of_an_item(scene, measured) -> None:
    report = measured
    found = browsed(scene.ada, report, report.result)
    row = item_row(found, 1)
    assert row is not None
    reference = Reference.objects.get(campaign=scene.campaign, reference_id=row.reference_id)
    own = Reference.objects.filter(pk=reference.pk)
    own.update(claims_sha256=text_sha256(row.reference))
    path = f"/reports/{report.pk}/items/1/context/"
    ada, rita = signed_in(scene.ada), signed_in(scene.rita)
    assert ada.get(path).status_code == 404
    sheets = tuple(sheets_of(picture(), "fig1.png"))
    store_context([(reference.pk, Context((Paragraph("description", "A known lamp."),), sheets))])
    assert path in shown(ada, f"/reports/{report.pk}/items/1/")
    page = shown(ada, path)
    assert "A known lamp." in page and "B, beyond that" in page
    assert ada.get(f"{path}1/")["Content-Type"] == "image/png"
    for address in (path, f"{path}1/"):
        assert rita.get(address).status_code == 404
        assert ada.get(address.replace("/items/1/", "/items/9999/")).status_code == 404
    assert path not in shown(rita, f"/reports/{report.pk}/items/1/")
    own.update(claims_sha256="another text")
    assert ada.get(path).status_code == 404


def test_claim_charts_are_shown_to_who_reads_the_claims_and_given_to_admins(
    scene, measured
) -> None:
    path = f"/reports/{measured.pk}/items/1/chart/"
    ada, rita = signed_in(scene.ada), signed_in(scene.rita)
    assert rita.get(path).status_code == 404
    assert path not in shown(rita, f"/reports/{measured.pk}/items/1/")
    assert path in shown(ada, f"/reports/{measured.pk}/items/1/")
    page = shown(ada, path)
    assert MUG.search(page) and "Claims of B" in page and "Claims of C" in page
    assert ada.get(f"/reports/{measured.pk}/items/9999/chart/").status_code == 404
    assert ada.post(path, {"format": "csv"}).status_code == 200
    act = AuditEvent.objects.get(action="chart.taken")
    assert (act.object_id, act.campaign) == (str(measured.pk), scene.campaign)
    version = measured.dataset_version
    sent = {"person": "trial-rita", "reason": "to read where scorers err"}
    ada.post(f"/datasets/{version.dataset.full_name}/{version.number}/texts/", sent)
    page = shown(rita, path)
    assert MUG.search(page) and "Download as CSV" not in page
    assert rita.post(path, {"format": "csv"}).status_code == 403
    assert AuditEvent.objects.filter(action="chart.taken").count() == 1
