import re
from html import unescape
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from annotator.access.visibility import show_names
from annotator.models import Campaign, Candidate, Conflict, Membership, Unblinding, User
from tests.annotator.adjudication.discrepant import member, rate_all
from tests.annotator.adjudication.rulings import PASSWORD, decide

LIST = "/campaigns/cups/settled/"


def dispute(cast) -> Candidate:
    """Return a candidate that alice rated 9 and bob 1, with what each of them wrote."""
    reference = cast.reference("r1", 1)
    for user, score in ((cast.alice, 9), (cast.bob, 1)):
        rate_all(cast, user, reference, [(score,) * 4], comment=f"comment of {user.username}")
    return reference.candidates.get()


@pytest.fixture
def disputed(cast) -> Candidate:
    return dispute(cast)


def ruled(cast, **more) -> None:
    cast.carol.set_password(PASSWORD)
    cast.carol.save()
    decide(Conflict.objects.get(kind="overall_gap"), cast.carol, **more)


def read(client: Client, user: User, address: str) -> str:
    client.force_login(user)
    answer = client.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    return answer.content.decode()


def close(cast) -> None:
    Campaign.objects.filter(pk=cast.campaign.pk).update(status="closed", closed_at=timezone.now())


def test_the_list_says_what_counts_and_that_it_is_disputed(client, cast) -> None:
    assert "holds no reference yet" in read(client, cast.ada, LIST)
    dispute(cast)
    html = read(client, cast.ada, LIST)
    assert "open conflict, not locked" in html
    assert len(re.findall(r'<td class="number"[^>]*>5.00</td>', html)) == 5
    assert 'class="is-unsettled"' in html
    majority = read(client, cast.ada, f"{LIST}?policy=majority")
    assert len(re.findall(r'<td class="number"[^>]*>none</td>', majority)) == 5


def test_titles_are_for_readers_of_the_texts(client, cast, disputed) -> None:
    close(cast)
    for address in (LIST, f"{LIST}{disputed.pk}/"):
        assert "Title of r1" in read(client, cast.ada, address)
        html = read(client, cast.rita, address)
        assert "Title of r1" not in html and "r1" in html


def test_the_candidate_page_traces_a_mean_to_its_rows(client, cast, disputed) -> None:
    html = read(client, cast.ada, f"{LIST}{disputed.pk}/")
    assert re.search(r"the mean: \((9 \+ 1|1 \+ 9)\) / 2 = 5<", html)
    assert "Annotator 1" in html and "Annotator 2" in html
    assert "Feature completeness: 8 points apart" in html
    assert "no majority" in html
    assert client.get(f"{LIST}{uuid4()}/").status_code == 404


def test_the_candidate_page_traces_a_ruling_to_its_signature(client, cast, disputed) -> None:
    ruled(cast, decision="take", rating_id=cast.bob.ratings.get().pk)
    html = read(client, cast.ada, f"{LIST}{disputed.pk}/")
    assert re.search(r"ruled, taken from Annotator [12]: 1<", html)
    assert "unchanged" in html
    assert "ruled, locked" in html
    Conflict.objects.get(kind="overall_gap").adjudications.update(reason="Another reason.")
    assert "not what was signed" in read(client, cast.ada, f"{LIST}{disputed.pk}/")


def test_numbers_of_annotators_stay_when_the_campaign_closes(client, cast, disputed) -> None:
    def numbers() -> list[str]:
        html = read(client, cast.ada, f"{LIST}{disputed.pk}/")
        return re.findall(r'class="nowrap">(\w+ ?\d?)</th>.*?number">(\d\.00)</td></tr>', html)

    before = numbers()
    assert len(before) == 2
    close(cast)
    assert numbers() == before


def test_an_admin_reads_names_only_once_they_were_asked_for(client, cast, disputed) -> None:
    Membership.objects.create(user=cast.bob, campaign=cast.campaign, role="admin")
    close(cast)
    cast.campaign.refresh_from_db()
    for admin in (cast.ada, cast.bob):
        html = read(client, admin, f"{LIST}{disputed.pk}/")
        assert 'class="nowrap">alice<' not in html
    show_names(campaign=cast.campaign, asked_by=cast.ada, reason="A question about one rating.")
    assert 'class="nowrap">alice<' in read(client, cast.ada, f"{LIST}{disputed.pk}/")
    assert 'class="nowrap">alice<' not in read(client, cast.bob, f"{LIST}{disputed.pk}/")


def test_systems_are_shown_after_closing_and_that_is_recorded_once(client, cast, disputed) -> None:
    for user in (cast.ada, cast.rita):
        for address in (LIST, f"{LIST}{disputed.pk}/"):
            assert cast.system_canary not in read(client, user, address)
    assert not Unblinding.objects.exists()
    close(cast)
    for address in (*(LIST, f"{LIST}{disputed.pk}/"), LIST):
        assert cast.system_canary in read(client, cast.ada, address)
    assert [(row.user, row.shown) for row in Unblinding.objects.all()] == [(cast.ada, "systems")]


def test_a_researcher_reads_settled_ratings_once_the_campaign_is_closed(client, cast, disputed):
    ruled(cast)
    for address in (LIST, f"{LIST}{disputed.pk}/"):
        html = read(client, cast.rita, address)
        assert "Hidden while the campaign is open" in html
        assert cast.candidate_canary not in html
    close(cast)
    for address in (LIST, f"{LIST}{disputed.pk}/"):
        assert cast.candidate_canary in read(client, cast.rita, address)


def test_a_researcher_reads_neither_reasons_nor_two_annotators_apart(client, cast, disputed):
    ruled(cast, reason="ruling words")
    close(cast)
    html = "".join(read(client, cast.rita, address) for address in (LIST, f"{LIST}{disputed.pk}/"))
    for secret in ("ruling words", "carol", "Annotator 1", "9 + 1", "1 + 9"):
        assert secret not in html, secret
    assert "they are not listed separately" in html


def test_a_researcher_reads_three_annotators_by_numbers_of_each_candidate(client, cast, disputed):
    cast.submit(cast.assign(member(cast, "third"), cast.reference("r2", 1))[0])
    close(cast)
    assert re.search(r"Annotator [123]<", read(client, cast.rita, f"{LIST}{disputed.pk}/"))


@pytest.mark.parametrize("role", ["admin", "researcher"])
def test_from_who_also_rates_it_is_withheld_while_a_campaign_is_open(client, cast, disputed, role):
    Membership.objects.create(user=cast.alice, campaign=cast.campaign, role=role)
    client.force_login(cast.alice)
    for address in (LIST, f"{LIST}{disputed.pk}/"):
        answer = client.get(address)
        assert answer.status_code == 403
        assert b"Hidden while you rate here" in answer.content
        assert disputed.candidate_id.encode() not in answer.content
    close(cast)
    assert [client.get(address).status_code for address in (LIST, f"{LIST}{disputed.pk}/")] == [
        200,
        200,
    ]


def test_a_page_that_is_none_shows_one_that_is(client, cast, disputed) -> None:
    client.force_login(cast.ada)
    for page in ("0", "-1", "99", "x", "\x00", "9" * 5000, "last"):
        answer = client.get(LIST, {"page": page, "policy": page})
        assert answer.status_code == 200, page[:8]
        assert b"r1" in answer.content, page[:8]


def test_many_references_stand_on_pages_and_the_way_there_keeps_the_policy(client, cast) -> None:
    for number in range(21):
        cast.reference(f"r{number:02d}", 1)
    first, last = (read(client, cast.ada, f"{LIST}?page={page}") for page in (1, 2))
    assert "r00" in first and "r20" not in first and "Page 1 of 2" in first
    assert "r20" in last and "r19" not in last
    page = read(client, cast.ada, f"{LIST}?policy=majority&page=1")
    (way,) = re.findall('href="([^"]*)" rel="next"', page)
    assert parse_qs(urlsplit(unescape(way)).query) == {"policy": ["majority"], "page": ["2"]}
