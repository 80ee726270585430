"""Campaigns over REST."""


def test_only_own_campaigns_are_listed_with_own_roles(cast, call) -> None:
    (row,) = call(cast.ada, "get", "campaigns/").json()
    assert (row["slug"], row["roles"], row["overlap"]) == ("cups", ["admin"], 2)
    assert call(cast.ada, "get", "campaigns/cups/").json() == row


def test_a_campaign_of_others_is_answered_as_one_that_does_not_exist(cast, call) -> None:
    for tail in ("", "progress/"):
        answers = [call(cast.ada, "get", f"campaigns/{s}/{tail}") for s in ("elsewhere", "none")]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].content == answers[1].content


def test_progress_is_for_admins(cast, call) -> None:
    cast.submit(cast.assign(cast.alice, cast.reference())[0])
    body = call(cast.ada, "get", "campaigns/cups/progress/").json()
    assert (body["ratings"], body["candidates"], body["open_conflicts"]) == (1, 3, 0)
    alice, bob = body["annotators"]
    assert (alice["username"], alice["assigned"], alice["rated"]) == ("alice", 3, 1)
    assert (bob["quota"], bob["overdue"], bob["last_rated_on"]) == (None, 0, None)
    assert call(cast.alice, "get", "campaigns/cups/progress/").status_code == 403


def test_an_admin_of_another_campaign_does_not_see_this_ones_progress(cast, call) -> None:
    cast.mallory.memberships.update(role="admin")
    assert call(cast.mallory, "get", "campaigns/cups/progress/").status_code == 404


def test_a_member_who_is_admin_elsewhere_is_refused_here(cast, call) -> None:
    cast.alice.memberships.create(campaign=cast.elsewhere, role="admin")
    assert call(cast.alice, "get", "campaigns/cups/progress/").status_code == 403
