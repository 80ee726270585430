"""Claim charts as pages and files: what they show, to whom, and what is on record."""

import csv
import io
import re
import zipfile
from html import unescape
from typing import Any

import pytest
from django.test import Client
from lxml import etree

from annotator.comparisons.services import assign_comparisons
from annotator.imports.erasing import erase_texts
from annotator.models import Assignment, AuditEvent, Campaign, Reference
from core.clock import database_now
from tests.annotator.adjudication.discrepant import disagree, of
from tests.annotator.test_claim_chart import CANDIDATE, REFERENCE
from tests.conftest import signed_in

pytestmark = pytest.mark.django_db
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


@pytest.fixture
def reference(cast: Any) -> Reference:
    row: Reference = cast.reference(candidates=2)
    Reference.objects.filter(pk=row.pk).update(claims=REFERENCE, language="en")
    row.candidates.update(claims=CANDIDATE)
    row.refresh_from_db()
    return row


@pytest.fixture
def mine(cast: Any, reference: Reference) -> Assignment:
    Campaign.objects.filter(pk=cast.campaign.pk).update(has_mark_files=True)
    row: Assignment = cast.assign(cast.alice, reference)[0]
    return row


@pytest.fixture
def alice(cast: Any) -> Client:
    return signed_in(cast.alice)


def address(row: Assignment) -> str:
    return f"/rate/{row.pk}/chart/"


def words(answer: Any) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode())))


def table(answer: Any) -> list[dict[str, str]]:
    text = b"".join(answer.streaming_content).decode()
    return list(csv.DictReader(io.StringIO(text)))


def test_the_rate_page_leads_to_the_chart_and_does_not_hold_it(alice, mine):
    page = alice.get(f"/rate/{mine.pk}/").content.decode()
    assert f'href="{address(mine)}"' in page and "chart-table" not in page
    answer = alice.get(address(mine))
    assert answer.status_code == 200
    found = words(answer)
    assert "demoted to dependent claim 2" in found and "nowhere" in found
    assert mine.label in found and "Back to the claims" in found
    html = answer.content.decode()
    assert " style=" not in html and "<script>" not in html
    panel = alice.get(address(mine), headers={"HX-Request": "true"})
    assert "demoted to dependent claim 2" in words(panel)
    assert "<html" not in panel.content.decode() and "Claims of" not in words(panel)


def test_every_link_of_the_chart_leads_to_something_on_its_page(alice, mine):
    html = alice.get(address(mine)).content.decode()
    wanted = set(re.findall(r'href="#([^"]+)"', html)) - {"main", "claims"}
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    assert wanted <= set(ids)
    spout = CANDIDATE.index("2. The")
    line = re.search(rf'<tr id="([^"]+)"[^>]*>(?:(?!</tr>).)*#candidate-{spout}"', html, re.S)
    assert line and f'href="#{line[1]}"' in html


def test_a_large_row_has_as_many_cells_as_the_head(alice, mine):
    html = alice.get(address(mine)).content.decode()
    head = re.search(r"<thead><tr>(.*?)</tr>", html)
    assert head
    columns = len(re.findall("<th", head[1]))
    rows = re.findall(r'<tr id="chart-reference[^>]*>(.*?)</tr>', html, re.DOTALL)
    assert len(rows) >= 5
    for row in rows:
        wide = re.findall(r'colspan="(\d+)"', row)
        cells = len(re.findall("<t[hd]", row)) - len(wide) + sum(map(int, wide))
        assert cells == columns


def test_nobody_sees_the_chart_of_another_or_after_a_recusal(cast, alice, mine):
    for user in (cast.bob, cast.mallory):
        assert signed_in(user).get(address(mine)).status_code == 404
        assert signed_in(user).post(address(mine), {"format": "csv"}).status_code == 404
    for user in (cast.carol, cast.rita, cast.ada):
        assert signed_in(user).get(address(mine)).status_code == 403
    Assignment.objects.filter(pk=mine.pk).update(status="recused")
    assert alice.get(address(mine)).status_code == 404
    assert alice.post(address(mine), {"format": "csv"}).status_code == 404
    assert not AuditEvent.objects.filter(action="chart.taken").exists()


def test_the_chart_names_no_system_and_no_candidate_id(cast, alice, mine):
    html = alice.get(address(mine)).content.decode()
    for hidden in (cast.system_canary, cast.candidate_canary, str(mine.candidate_id)):
        assert hidden not in html


def test_a_chart_is_taken_as_csv_with_formulas_defused_and_on_record(cast, alice, mine):
    Reference.objects.update(claims=f"{REFERENCE}\n3. =1+1 kettles of claim 1.")
    answer = alice.post(address(mine), {"format": "csv"})
    assert answer.status_code == 200
    assert answer["Content-Disposition"] == 'attachment; filename="claim-chart.csv"'
    assert answer["Export-Notice"].startswith("Confidential") and answer["Repr-Digest"]
    rows = table(answer)
    spout = next(row for row in rows if row["text"].startswith("a spout"))
    assert spout["verdict"] == "demoted to dependent claim 2"
    assert (spout["candidate"], spout["claim"], spout["claims"]) == (
        *(mine.label, "claim 1", "claim 2"),
    )
    formula = next(row for row in rows if "=1+1" in row["text"])
    assert formula["text"].startswith("'=") and formula["apostrophe_put_before"] == "text"
    assert {row["part"] for row in rows} >= {
        *("Limitations of the reference", "Not in full in the reference", "Claim references"),
    }
    (act,) = AuditEvent.objects.filter(action="chart.taken")
    assert (act.object_id, act.actor, act.details) == (str(mine.pk), cast.alice, {"format": "csv"})


def test_a_chart_is_taken_as_a_word_table(alice, mine):
    answer = alice.post(address(mine), {"format": "docx"})
    content = b"".join(answer.streaming_content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        tree = etree.fromstring(archive.read("word/document.xml"))
        assert b"Confidential" in archive.read("word/header.xml")
    rows = [
        ["".join(cell.itertext()) for cell in row.iter(f"{W}tc")] for row in tree.iter(f"{W}tr")
    ]
    spout = "a spout joined to an upper edge of the body; and"
    assert ["claim 1", spout, "demoted to dependent claim 2"] in rows
    assert rows.count(["Claim", "Text", "Verdict"]) == len(list(tree.iter(f"{W}tbl")))
    assert f"{mine.label}: Limitations of the reference" in "".join(tree.itertext())


def test_no_file_where_the_campaign_gives_annotators_none(cast, alice, mine):
    Campaign.objects.update(has_mark_files=False)
    assert "Download as CSV" not in words(alice.get(address(mine)))
    answer = alice.post(address(mine), {"format": "csv"})
    assert answer.status_code == 403 and "not download it" in words(answer)
    assert alice.post(address(mine), {"format": "pdf"}).status_code == 422
    Campaign.objects.update(has_mark_files=True)
    erase_texts(mine.candidate.reference)
    Reference.objects.update(erased_at=database_now())
    assert alice.post(address(mine), {"format": "csv"}).status_code == 403
    assert alice.get(address(mine)).status_code == 200


def test_all_candidates_are_withheld_until_own_ratings_are_in(cast, alice, mine):
    url = f"/rate/{mine.pk}/all/chart/"
    assert alice.get(url).status_code == 403
    assert alice.post(url, {"format": "csv"}).status_code == 403
    for row in Assignment.objects.filter(annotator=cast.alice):
        cast.submit(row)
    answer = alice.get(url)
    assert answer.status_code == 200
    html = answer.content.decode()
    assert html.count("demoted to dependent claim 2") == 2
    for row in Assignment.objects.filter(annotator=cast.alice):
        assert f'href="{address(row)}#chart-reference-of-candidate-' in html
    assert f'href="{url}' in alice.get(f"/rate/{mine.pk}/all/").content.decode()
    taken = table(alice.post(url, {"format": "csv"}))
    assert {row["candidate"] for row in taken} == {"Candidate 1", "Candidate 2"}
    assert signed_in(cast.bob).get(url).status_code == 404


def test_a_comparison_has_the_charts_of_left_and_right(cast, alice, mine):
    for row in Assignment.objects.filter(annotator=cast.alice):
        cast.submit(row)
    pair = tuple(mine.candidate.reference.candidates.all())
    (comparison,) = assign_comparisons(campaign=cast.campaign, annotator=cast.alice, pairs=[pair])
    url = f"/compare/{comparison.pk}/chart/"
    assert f'href="{url}"' in alice.get(f"/compare/{comparison.pk}/").content.decode()
    html = alice.get(url).content.decode()
    for side in ("left", "right"):
        assert f'id="chart-{side}"' in html and f'id="{side}-0"' in html
    assert html.count('id="reference-0"') == 1
    assert cast.candidate_canary not in html and "Candidate 1" not in html
    assert signed_in(cast.bob).get(url).status_code == 404
    assert len(table(alice.post(url, {"format": "csv"}))) > 10


def test_an_adjudicator_has_the_charts_of_a_conflict(cast):
    candidate = disagree(cast)
    Reference.objects.update(claims=REFERENCE, language="en")
    candidate.reference.candidates.update(claims=CANDIDATE)
    conflict = of(candidate)
    url = f"/adjudication/{conflict.pk}/chart/"
    carol = signed_in(cast.carol)
    assert f'href="{url}"' in carol.get(f"/adjudication/{conflict.pk}/").content.decode()
    answer = carol.get(url)
    assert answer.status_code == 200 and "demoted to dependent claim 2" in words(answer)
    assert cast.candidate_canary not in answer.content.decode()
    assert carol.post(url, {"format": "docx"}).status_code == 200
    assert AuditEvent.objects.get(action="chart.taken").object_type == "conflict"
    assert signed_in(cast.alice).get(url).status_code in (403, 404)
    assert signed_in(cast.mallory).get(url).status_code in (403, 404)
