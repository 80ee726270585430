from dataclasses import replace

import pytest
from django.test import Client

from annotator.adjudication.settled.queries import names_for
from annotator.campaigns.services import close_campaign
from annotator.models import ClaimImport, Membership, Rating, Reference, Unblinding
from scoring import files as scoring_files
from scoring.access.scopes import read_rows
from scoring.datasets.versions.queries import Filter, page_of
from scoring.formats import rows as formats_rows
from scoring.models import DatasetVersion, TextPermission
from scoring.quadruplets import DatasetRow
from tests.scoring.conftest import FrozenScene, imported, shown, signed_in

pytestmark = [pytest.mark.django_db]
LIST = "/datasets/trial/1/quadruplets/"
FIRST = f"{LIST}1/"


@pytest.fixture
def version(scene: FrozenScene) -> DatasetVersion:
    return scene.freeze()


@pytest.fixture
def ada(scene: FrozenScene) -> Client:
    return signed_in(scene.ada)


@pytest.fixture
def rita(scene: FrozenScene) -> Client:
    return signed_in(scene.rita)


def listed(client: Client, query: str = "") -> list[int]:
    """The numbers of the quadruplets that a list shows."""
    return [line["number"] for line in client.get(f"{LIST}?{query}").context["rows"]]


def test_the_list_shows_every_row_with_its_labels(ada, version) -> None:
    answer = ada.get(LIST)
    page, rows = answer.content.decode(), list(read_rows(version))
    assert [line["number"] for line in answer.context["rows"]] == list(range(1, 10))
    assert all(row.id in page for row in rows)
    assert "9 of 9 quadruplets" in page
    signs = {1: "B", 0: "=", -1: "C"}
    wanted = [signs[label] for label in rows[0].y.values()]
    assert answer.context["rows"][0]["signs"] == wanted


def test_lines_have_titles_for_readers_of_texts_and_no_empty_columns(
    scene, ada, rita, version
) -> None:
    Reference.objects.update(title="Cup with a lid")
    page = ada.get(LIST).content.decode()
    assert page.count("Cup with a lid") == 9 and ">Flags<" not in page and ">Clarity<" in page
    assert "Cup with a lid" not in rita.get(LIST).content.decode()
    # Ids are told to researchers once the campaign is closed; a title is a text.
    close_campaign(campaign=version.dataset.campaign, reason="done", closed_by=scene.ada)
    assert "r1" in rita.get(LIST).text and "Cup with a lid" not in rita.get(LIST).text
    TextPermission.objects.create(version=version, person=scene.rita, granted_by=scene.ada)
    assert rita.get(LIST).text.count("Cup with a lid") == 9
    version.card["labels"].pop("conceptual_clarity")
    version.save()
    answer = ada.get(LIST)
    assert ">Clarity<" not in answer.content.decode()
    assert {len(line["signs"]) for line in answer.context["rows"]} == {4}


def test_the_filters_take_what_they_say(ada, version) -> None:
    rows = dict(enumerate(read_rows(version), 1))
    test = [n for n, row in rows.items() if row.split == "test"]
    assert 0 < len(test) < 9
    assert listed(ada, "split=test") == test
    key = "logical_linkage"
    better = [n for n, row in rows.items() if row.y[key] == 1]
    assert 0 < len(better) < 9
    assert listed(ada, f"criterion={key}&label=1") == better
    assert listed(ada, f"criterion={key}&label=0") == []
    assert listed(ada, f"criterion={key}") == list(rows)
    assert listed(ada, f"split=test&criterion={key}&label=1") == [n for n in test if n in better]
    assert listed(ada, f"row_id={rows[4].id}") == [4]
    assert listed(ada, "row_id=q-nothing") == []
    assert listed(ada, "flagged=on") == []


def test_a_filter_that_makes_no_sense_is_refused(ada, version) -> None:
    for query in ("label=1", "split=none", "criterion=beauty", "label=2"):
        assert 'class="error"' in shown(ada, f"{LIST}?{query}", 422)


def test_pages_follow_one_another_and_end(ada, version, monkeypatch) -> None:
    monkeypatch.setattr("scoring.datasets.versions.views.A_PAGE", 4)
    for query in ("", "criterion=logical_linkage&"):
        pages = [listed(ada, f"{query}page={n}") for n in (1, 2, 3)]
        assert pages == [[1, 2, 3, 4], [5, 6, 7, 8], [9]]
    for beyond in ("4", "9" * 40, "0", "-1"):
        assert listed(ada, f"page={beyond}") == [9]
    for first in ("x", "1.5", ""):
        assert listed(ada, f"page={first}") == [1, 2, 3, 4]
    page = shown(ada, f"{LIST}?split=train&criterion=logical_linkage&page=1")
    assert "split=train&amp;criterion=logical_linkage&amp;page=2" in page


def test_a_researcher_reads_no_text_ever_and_ids_once_the_campaign_is_closed(
    scene, rita, version
) -> None:
    for is_open in (True, False):
        pages = shown(rita, LIST) + shown(rita, FIRST)
        assert "A cup number" not in pages and "A mug" not in pages
        for name in ("c1", "r1"):
            assert (f">{name}<" in pages) is not is_open, (name, is_open)
        # That ids were shown is on record.
        found = {(row.user, row.shown) for row in Unblinding.objects.all()}
        assert found == (set() if is_open else {(scene.rita, "systems")})
        scene.close()


def test_an_admin_reads_the_texts_as_text(scene, ada) -> None:
    texts = ("1. A <b>cup</b>.", "1. A {{ mug }}.\n<script>alert(1)</script>", "1. A jug.")
    row = DatasetRow("q1", "r1", *texts, "b", "c", {"overall_quality": 1}, "train")
    imported("odd", [row], campaign=scene.campaign)
    page = shown(ada, "/datasets/odd/1/quadruplets/1/")
    assert "1. A &lt;b&gt;cup&lt;/b&gt;." in page
    assert "1. A {{ mug }}.\n&lt;script&gt;" in page
    assert "<script>alert" not in page


def test_lineage_names_the_ratings_by_pseudonym_with_what_they_say(
    scene, ada, rita, version
) -> None:
    scene.close()
    row = next(iter(read_rows(version)))
    for client in (ada, rita):
        answer = client.get(FIRST)
        page, lineage = answer.content.decode(), answer.context["lineage"]
        assert {str(one["row"].pk) for one in lineage.ratings} == set(row.provenance["ratings"])
        assert len(lineage.ratings) == 6
        for one in lineage.ratings:
            rating = Rating.objects.get(pk=one["row"].pk)
            side = row.b_id if one["side"] == "B" else row.c_id
            assert rating.candidate.candidate_id == side
            assert one["points"][0] == str(rating.feature_completeness)
        assert not [name for name in scene.people if f"trial-{name}" in page]
        assert "Annotator 1" in page and "Annotator 3" in page


def test_pseudonyms_of_two_references_cannot_be_joined_by_a_researcher(scene) -> None:
    """Over thirty references the one who is Annotator 1 changes."""
    scene.close()
    ids = [names_for(scene.rita, scene.campaign, f"v r{n}", is_admin=False) for n in range(30)]
    alice = str(scene.people["alice"].pk)
    assert len({names[alice] for names in ids}) == 3


def test_few_annotators_are_not_distinguished(scene_of_two) -> None:
    scene_of_two.freeze()
    scene_of_two.close()
    page = shown(signed_in(scene_of_two.rita), FIRST)
    assert "Annotator 1" not in page
    assert "not listed separately" in page


def test_ratings_are_shown_to_researchers_once_the_campaign_is_closed(rita, version) -> None:
    page = shown(rita, FIRST)
    assert "Annotator 1" not in page
    ratings = next(iter(read_rows(version))).provenance["ratings"]
    assert not [pk for pk in ratings if pk[:8] in page]
    assert "once the campaign is closed" in page


@pytest.mark.parametrize("role", ["researcher", "admin"])
def test_who_rates_in_an_open_campaign_reads_no_labels(scene, version, role) -> None:
    alice = scene.people["alice"]
    Membership.objects.create(user=alice, campaign=scene.campaign, role=role)
    client = signed_in(alice)
    for path in (LIST, FIRST):
        assert "better" not in shown(client, path, 403)
    card = shown(client, "/datasets/trial/1/")
    assert "Distribution" not in card and "B better" not in card
    scene.close()
    shown(client, LIST)
    assert "Distribution" in shown(client, "/datasets/trial/1/")


def test_a_rating_that_was_revised_after_the_freeze_is_marked(ada, version) -> None:
    assert "revised since" not in shown(ada, FIRST)
    pk = next(iter(read_rows(version))).provenance["ratings"][0]
    Rating.objects.filter(pk=pk).update(revised_at="2999-01-01T00:00Z")
    assert shown(ada, FIRST).count("revised since") == 1


def test_files_are_named_to_admins_only(scene, ada, rita, version) -> None:
    source = ClaimImport.objects.create(
        campaign=scene.campaign,
        asked_by=scene.ada,
        file_name="../../cups <b>.jsonl",
        file_sha256="f" * 64,
        file_bytes=1,
        format="claims-jsonl",
    )
    Reference.objects.update(imported_from=source)
    page = shown(ada, FIRST)
    assert "../../cups &lt;b&gt;.jsonl" in page and "f" * 64 in page and "trial-ada" in page
    scene.close()
    page = shown(rita, FIRST)
    assert "cups" not in page.split("</h1>")[1] and "f" * 64 not in page


def test_ratings_of_another_campaign_that_a_file_names_are_not_looked_up(version, cast) -> None:
    mine = next(iter(read_rows(version)))
    imported("foreign", [replace(mine, split="train")], campaign=cast.campaign)
    answer = signed_in(cast.ada).get("/datasets/foreign/1/quadruplets/1/")
    lineage = answer.context["lineage"]
    assert (lineage.ratings, lineage.missing) == ([], 6)
    assert all(side.pk is None for side in lineage.sides)


def test_there_is_no_quadruplet_beyond_the_last(ada, version) -> None:
    for place in (0, 10, 10**12):
        shown(ada, f"{LIST}{place}/", 404)


def test_a_changed_file_is_reported_and_not_shown(ada, version) -> None:
    file = scoring_files.dataset_path(version.sha256)
    for path in (LIST, FIRST):
        shown(ada, path)
    file.chmod(0o600)
    file.write_bytes(file.read_bytes().replace(b"A mug", b"A jug"))
    for path in (LIST, FIRST):
        assert "was changed after it was stored" in shown(ada, path, 422)
    file.unlink()
    for path in (LIST, FIRST):
        assert "is missing" in shown(ada, path, 422)


def test_one_quadruplet_is_read_without_the_others(ada, version, monkeypatch) -> None:
    shown(ada, LIST)
    taken: list[str] = []
    of_line = formats_rows.of_line

    def counting(line: bytes) -> DatasetRow:
        taken.append(of_line(line).id)
        return of_line(line)

    monkeypatch.setattr(formats_rows, "of_line", counting)
    monkeypatch.setattr(scoring_files, "open_dataset", lambda _: pytest.fail("whole file read"))
    page = shown(ada, f"{LIST}5/")
    assert len(taken) == 1 and taken[0] in page


@pytest.mark.parametrize("harm", ["gone", "overwritten"])
def test_an_index_that_is_gone_or_damaged_is_made_again(version, data_directory, harm) -> None:
    before, _ = page_of(version, Filter(), "1", 9)
    (index,) = (data_directory / "cache").glob("rows-*.sqlite3")
    whole = index.read_bytes()
    if harm == "gone":
        index.unlink()
    else:
        # Its head stays: that the rest is none is found while rows are read.
        index.write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))
    assert page_of(version, Filter(), "1", 9)[0] == before
    assert index.read_bytes() == whole


def test_a_dataset_of_no_campaign_shows_ids_and_texts_to_any_researcher(
    cast, data_directory, rows
) -> None:
    imported("tiny", rows())
    rita, ada = signed_in(cast.rita), signed_in(cast.ada)
    page = shown(rita, "/datasets/tiny/1/quadruplets/")
    assert ">r0<" in page and ">c1<" in page
    for client in (rita, ada):
        page = shown(client, "/datasets/tiny/1/quadruplets/1/")
        assert "housing" in page
