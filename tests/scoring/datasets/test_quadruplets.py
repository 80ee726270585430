"""The list of a version's quadruplets and the page of one: who reads what of it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotator.models import ClaimImport, Membership, Rating, Reference, Unblinding
from scoring import files as scoring_files
from scoring.access.scopes import read_rows
from scoring.datasets.freezing.imports import import_dataset
from scoring.datasets.versions.queries import Filter, page_of
from scoring.formats import rows as formats_rows
from scoring.formats.rows import DatasetRow
from scoring.models import DatasetVersion
from scoring.quadruplets import SplitPlan
from tests.scoring.conftest import FrozenScene, signed_in

pytestmark = [pytest.mark.django_db]
LIST = "/datasets/room/1/quadruplets/"


@pytest.fixture
def version(scene: FrozenScene) -> DatasetVersion:
    return scene.freeze()


def shown(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, (path, answer.status_code)
    return answer.content.decode()


def listed(client: Client, query: str = "") -> list[int]:
    """The numbers of the quadruplets that a list shows."""
    return [line.number for line in client.get(f"{LIST}?{query}").context["rows"]]


def test_the_list_shows_every_row_with_its_labels(
    scene: FrozenScene, version: DatasetVersion
) -> None:
    ada = signed_in(scene.ada)
    page = shown(ada, LIST)
    rows = list(read_rows(version))
    assert listed(ada) == list(range(1, 10))
    for row in rows:
        assert row.id in page
    assert "9 of 9 quadruplets" in page
    first = ada.get(LIST).context["rows"][0]
    signs = {1: "B", 0: "=", -1: "C"}
    assert first.signs == tuple(signs[label] for label in rows[0].y.values())


def test_the_filters_take_what_they_name(scene: FrozenScene, version: DatasetVersion) -> None:
    ada = signed_in(scene.ada)
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


def test_a_filter_that_makes_no_sense_is_reported(
    scene: FrozenScene, version: DatasetVersion
) -> None:
    ada = signed_in(scene.ada)
    for query in ("label=1", "split=none", "criterion=beauty", "label=2"):
        answer = ada.get(f"{LIST}?{query}")
        assert answer.status_code == 422, query
        assert 'class="error"' in answer.content.decode()


def test_pages_follow_one_another_and_end(
    scene: FrozenScene, version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = signed_in(scene.ada)
    monkeypatch.setattr("scoring.datasets.versions.views.A_PAGE", 4)
    for query in ("", "criterion=logical_linkage&"):
        pages = [listed(ada, f"{query}page={n}") for n in (1, 2, 3)]
        assert pages == [[1, 2, 3, 4], [5, 6, 7, 8], [9]]
    for beyond in ("4", "999999999"):
        assert listed(ada, f"page={beyond}") == [9]
    for first in ("0", "-1", "x", "9" * 40, ""):
        assert listed(ada, f"page={first}") == [1, 2, 3, 4]
    page = shown(ada, f"{LIST}?split=train&criterion=logical_linkage&page=1")
    assert "split=train&amp;criterion=logical_linkage&amp;page=2" in page


def test_a_researcher_reads_no_text_ever_and_ids_once_the_campaign_is_closed(
    scene: FrozenScene, version: DatasetVersion
) -> None:
    rita = signed_in(scene.rita)
    for is_open in (True, False):
        pages = shown(rita, LIST) + shown(rita, f"{LIST}1/")
        assert "A cup number" not in pages and "A mug" not in pages
        for said in ("c1", "r1"):
            assert (f">{said}<" in pages) is not is_open, (said, is_open)
        if is_open:
            scene.close()


def test_ids_that_a_researcher_is_shown_are_on_record(
    scene: FrozenScene, version: DatasetVersion
) -> None:
    rita = signed_in(scene.rita)
    shown(rita, LIST)
    assert not Unblinding.objects.exists()
    scene.close()
    shown(rita, f"{LIST}1/")
    row = Unblinding.objects.get()
    assert (row.user, row.shown) == (scene.rita, "systems")


def test_an_admin_reads_the_texts_as_text(scene: FrozenScene, data_directory: Path) -> None:
    texts = ("1. A <b>cup</b>.", "1. A {{ mug }}.\n<script>alert(1)</script>", "1. A jug.")
    row = DatasetRow("q1", "r1", *texts, "b", "c", {"overall_quality": 1}, "train")
    version = import_dataset(
        name="odd", rows=[row], plan=SplitPlan("file"), campaign=scene.campaign
    ).version
    page = shown(signed_in(scene.ada), f"/datasets/odd/{version.number}/quadruplets/1/")
    assert "1. A &lt;b&gt;cup&lt;/b&gt;." in page
    assert "1. A {{ mug }}.\n&lt;script&gt;" in page
    assert "<script>alert" not in page


def test_lineage_names_the_ratings_by_pseudonym_with_what_they_say(
    scene: FrozenScene, version: DatasetVersion
) -> None:
    scene.close()
    row = next(iter(read_rows(version)))
    for user in (scene.ada, scene.rita):
        answer = signed_in(user).get(f"{LIST}1/")
        page = answer.content.decode()
        lineage = answer.context["lineage"]
        assert {str(one.pk) for one in lineage.ratings} == set(row.provenance["ratings"])
        assert len(lineage.ratings) == 6
        for one in lineage.ratings:
            rating = Rating.objects.get(pk=one.pk)
            said = row.b_id if one.side == "B" else row.c_id
            assert rating.candidate.candidate_id == said
            assert one.points[0] == str(rating.feature_completeness)
        for name in scene.people:
            assert f"room-{name}" not in page
        assert "Annotator 1" in page and "Annotator 3" in page


def test_pseudonyms_of_two_references_cannot_be_joined_by_a_researcher(scene: FrozenScene) -> None:
    """Over thirty references the one who is Annotator 1 changes."""
    from scoring.access.scopes import names_for

    scene.close()
    ids = [names_for(scene.rita, scene.campaign, f"v r{n}", is_admin=False) for n in range(30)]
    alice = str(scene.people["alice"].pk)
    assert len({names[alice] for names in ids}) == 3


def test_few_annotators_are_not_distinguished(rated: Callable[..., Any]) -> None:
    from tests.conftest import grant, make_user

    scenario = rated(3)
    scenario.rate_all(range(3))
    rita = grant(make_user("rita"), scenario.campaign, "researcher")
    scene = FrozenScene(scenario, rita, rita)
    scene.freeze()
    scene.close()
    page = shown(signed_in(rita), f"{LIST}1/")
    assert "Annotator 1" not in page
    assert "not told apart" in page


def test_ratings_are_shown_to_researchers_once_the_campaign_is_closed(
    scene: FrozenScene, version: DatasetVersion
) -> None:
    page = shown(signed_in(scene.rita), f"{LIST}1/")
    row = next(iter(read_rows(version)))
    assert "Annotator 1" not in page
    for pk in row.provenance["ratings"]:
        assert pk[:8] not in page
    assert "once the campaign is closed" in page


@pytest.mark.parametrize("role", ["researcher", "admin"])
def test_who_rates_in_an_open_campaign_reads_no_labels(
    scene: FrozenScene, version: DatasetVersion, role: str
) -> None:
    alice = scene.people["alice"]
    Membership.objects.create(user=alice, campaign=scene.campaign, role=role)
    client = signed_in(alice)
    for path in (LIST, f"{LIST}1/"):
        answer = client.get(path)
        assert answer.status_code == 403
        assert "better" not in answer.content.decode()
    card = shown(client, "/datasets/room/1/")
    assert "Distribution" not in card and "B better" not in card
    scene.close()
    assert client.get(LIST).status_code == 200
    assert "Distribution" in shown(client, "/datasets/room/1/")


def test_a_rating_that_was_revised_after_the_freeze_is_marked(
    scene: FrozenScene, version: DatasetVersion
) -> None:
    ada = signed_in(scene.ada)
    assert "revised since" not in shown(ada, f"{LIST}1/")
    pk = next(iter(read_rows(version))).provenance["ratings"][0]
    Rating.objects.filter(pk=pk).update(revised_at="2999-01-01T00:00Z")
    assert shown(ada, f"{LIST}1/").count("revised since") == 1


def test_files_are_named_to_admins_only(scene: FrozenScene, version: DatasetVersion) -> None:
    source = ClaimImport.objects.create(
        campaign=scene.campaign,
        asked_by=scene.ada,
        file_name="../../cups <b>.jsonl",
        file_sha256="f" * 64,
        file_bytes=1,
        format="claims-jsonl",
    )
    Reference.objects.update(imported_from=source)
    page = shown(signed_in(scene.ada), f"{LIST}1/")
    assert "../../cups &lt;b&gt;.jsonl" in page and "f" * 64 in page and "room-ada" in page
    scene.close()
    page = shown(signed_in(scene.rita), f"{LIST}1/")
    assert "cups" not in page.split("</h1>")[1] and "f" * 64 not in page


def test_ratings_of_another_campaign_that_a_file_names_are_not_looked_up(
    scene: FrozenScene, data_directory: Path, cast: Any
) -> None:
    from tests.conftest import grant

    mine = next(iter(read_rows(scene.freeze())))
    foreign = import_dataset(
        name="foreign",
        rows=[replace(mine, split="train")],
        plan=SplitPlan("file"),
        campaign=cast.campaign,
    ).version
    client = signed_in(grant(cast.ada, cast.campaign))
    answer = client.get(f"/datasets/foreign/{foreign.number}/quadruplets/1/")
    assert answer.context["lineage"].ratings == ()
    assert answer.context["lineage"].missing == 6
    assert all(side.pk is None for side in answer.context["lineage"].sides)


def test_there_is_no_quadruplet_beyond_the_last(
    scene: FrozenScene, version: DatasetVersion
) -> None:
    ada = signed_in(scene.ada)
    for place in (0, 10, 10**12):
        assert ada.get(f"{LIST}{place}/").status_code == 404, place


def test_a_changed_file_is_reported_and_not_shown(
    scene: FrozenScene, version: DatasetVersion, data_directory: Path
) -> None:
    ada, paths = signed_in(scene.ada), (LIST, f"{LIST}1/")
    for path in paths:
        shown(ada, path)
    file = data_directory / "datasets" / f"{version.sha256}.jsonl"
    file.chmod(0o600)
    file.write_bytes(file.read_bytes().replace(b"A mug", b"A jug"))
    for path in paths:
        answer = ada.get(path)
        assert answer.status_code == 422
        assert "was changed after it was stored" in answer.content.decode()
    file.unlink()
    for path in paths:
        assert "is missing" in ada.get(path).content.decode()


def test_one_quadruplet_is_read_without_the_others(
    scene: FrozenScene, version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = signed_in(scene.ada)
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
def test_an_index_that_is_gone_or_damaged_is_made_again(
    version: DatasetVersion, data_directory: Path, harm: str
) -> None:
    before = page_of(version, Filter(), 1, 9)
    (index,) = (data_directory / "cache").glob("rows-*.sqlite3")
    whole = index.read_bytes()
    if harm == "gone":
        index.unlink()
    else:
        # Its head stays: that the rest is none is found while rows are read.
        index.write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))
    assert page_of(version, Filter(), 1, 9) == before
    assert index.read_bytes() == whole


def test_a_version_of_another_campaign_is_not_found(version: DatasetVersion, cast: Any) -> None:
    for user in (cast.rita, cast.ada):
        for path in (LIST, f"{LIST}1/"):
            assert signed_in(user).get(path).status_code == 404


def test_a_dataset_of_no_campaign_shows_ids_to_any_researcher(
    cast: Any, data_directory: Path, rows: Callable[..., list[DatasetRow]]
) -> None:
    import_dataset(name="tiny", rows=rows(), plan=SplitPlan("file"))
    page = shown(signed_in(cast.rita), "/datasets/tiny/1/quadruplets/")
    assert ">r0<" in page and ">c1<" in page
    one = shown(signed_in(cast.rita), "/datasets/tiny/1/quadruplets/1/")
    assert "housing" not in one
    assert "housing" in shown(signed_in(cast.ada), "/datasets/tiny/1/quadruplets/1/")
