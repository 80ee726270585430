import threading
import uuid

import pytest
from django.db import connection
from django.db.models import Count, F, Q

from annotator.models import Assignment, Campaign, Candidate, Membership, Reference, Role
from core.prepared import PreparedQuery

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def of_campaign(slug, *purposes):
    """Return one query set with joins, chosen columns, an annotation and an order."""
    rows = Candidate.objects.filter(Q(campaign__slug=slug), claims__isnull=False)
    if purposes:
        rows = rows.filter(purpose__in=purposes)
    joined = rows.select_related("reference", "campaign").annotate(n=Count("ratings"))
    return joined.only("claims", "damage", "reference__title", "campaign__created_at").order_by(
        "reference__position", "candidate_id"
    )


def facts(rows):
    """Return what is loaded of each row and of what came with it."""
    return [
        (
            {key: value for key, value in row.__dict__.items() if key != "_state"},
            row.get_deferred_fields(),
            row._state.db,
            row._state.adding,
            row._state.fields_cache.keys(),
            row.reference.title,
            row.campaign.created_at,
        )
        for row in rows
    ]


@pytest.mark.parametrize("more", [(), ("rated", "sentinel")], ids=["slug", "slug and purposes"])
def test_rows_are_those_of_the_query_set(cast, more) -> None:
    other = Campaign.objects.create(slug="bowls")
    reference = Reference.objects.create(campaign=other, reference_id="r", claims="1. A.")
    Candidate.objects.create(
        reference=reference, campaign=other, candidate_id="c", claims="%s", damage={"1": "cut"}
    )
    asked = PreparedQuery[Candidate](of_campaign)
    for slug in (cast.campaign.slug, "bowls", "none"):
        assert facts(asked(slug, *more)) == facts(of_campaign(slug, *more))
    assert facts(asked("bowls"))  # with another number of keys


def test_the_query_set_is_written_once_and_asked_once_a_call(
    cast, django_assert_num_queries
) -> None:
    written = []

    def write(slug):
        written.append(slug)
        return Campaign.objects.filter(slug=slug).values_list("slug", F("overlap") + 1)

    asked = PreparedQuery[tuple[str, int]](write)
    with django_assert_num_queries(3):
        found = [asked.one(slug) for slug in (cast.campaign.slug, "none", cast.campaign.slug)]
    assert found == [("cups", cast.campaign.overlap + 1), None, found[0]]
    # What stood for the key was none that anybody sent.
    assert len(written) == 1
    assert written[0] not in {"cups", "none"}


def test_a_missing_counterpart_is_missing_and_keys_are_taken_as_the_database_has_them(cast) -> None:
    member = Membership.objects.get(user=cast.alice, campaign=cast.campaign, role=Role.ANNOTATOR)
    by_user = PreparedQuery[Membership](
        lambda user: Membership.objects.filter(user=user, role=Role.ANNOTATOR)
    )
    assert by_user(cast.alice.pk) == [member]
    reference = Reference.objects.create(campaign=cast.campaign, reference_id="x", claims="1. A.")
    candidate = Candidate.objects.create(
        reference=reference, campaign=cast.campaign, candidate_id="c", claims="1. B."
    )
    row = Assignment.objects.create(
        campaign=cast.campaign, annotator=cast.alice, candidate=candidate, label="Candidate 1"
    )
    asked = PreparedQuery[Assignment](
        lambda pk: Assignment.objects.filter(pk=pk).select_related("rating", "draft")
    )
    found = asked.one(row.pk)
    assert found == row
    assert not hasattr(found, "rating")
    with pytest.raises(Assignment.rating.RelatedObjectDoesNotExist):
        found.rating  # noqa: B018 - to read it is to ask
    assert asked.one(uuid.uuid4()) is None


def test_a_key_that_the_query_set_drops_is_found_out(cast) -> None:
    asked = PreparedQuery[Campaign](lambda slug, name: Campaign.objects.filter(slug=slug))
    with pytest.raises(TypeError, match="does not stand in it"):
        asked("cups", "Cups")


@pytest.mark.django_db(transaction=True)
def test_threads_ask_by_their_own_connections(cast) -> None:
    asked = PreparedQuery[Campaign](lambda slug: Campaign.objects.filter(slug=slug))
    assert asked.one("cups")
    found = []

    def elsewhere() -> None:
        found.append((asked.one("cups"), connection.connection is not None))
        connection.close()

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert found == [(cast.campaign, True)]
