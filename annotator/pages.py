"""The map of the screens of the rating house."""

from django.urls import path

from annotator.views import (
    campaigns,
    compare,
    drafts,
    health,
    home,
    keys,
    leaving,
    people,
    ratings,
    reading,
    rubric,
    tags,
)

app_name = "annotator"

urlpatterns = [
    path("", home.home, name="home"),
    path("login/", people.SignIn.as_view(), name="login"),
    path("logout/", people.SignOut.as_view(), name="logout"),
    path("rated/", home.rated, name="rated"),
    path("rate/<uuid:pk>/", ratings.rate, name="rate"),
    path("rate/<uuid:pk>/overall/", ratings.overall, name="overall"),
    path("rate/<uuid:pk>/draft/", drafts.draft, name="draft"),
    path("rate/<uuid:pk>/draft/discard/", drafts.discard, name="discard_draft"),
    path("rate/<uuid:pk>/ping/", drafts.ping, name="ping"),
    path("rate/<uuid:pk>/reading/", reading.reading, name="reading"),
    path("rate/<uuid:pk>/tags/", tags.tags, name="tags"),
    path("rate/<uuid:pk>/skip/", leaving.skip, name="skip"),
    path("rate/<uuid:pk>/recuse/", leaving.recuse_oneself, name="recuse"),
    path("rate/<uuid:pk>/take-back/", leaving.take_back, name="take_back"),
    path("rate/<uuid:pk>/flag/", leaving.flag, name="flag"),
    path("compare/<uuid:pk>/", compare.compare, name="compare"),
    path("compare/<uuid:pk>/reading/", compare.compare_reading, name="compare_reading"),
    path("keys/", keys.keys, name="keys"),
    path("rubric/", rubric.rubric, name="rubric"),
    path("rubric/<str:name>/", rubric.rubric_criterion, name="rubric_criterion"),
    path("campaigns/<slug:slug>/", campaigns.campaign, name="campaign"),
    path("campaigns/<slug:slug>/next/", ratings.take_next_candidate, name="take_next"),
    path("campaigns/<slug:slug>/comparisons/", compare.ask, name="ask_comparisons"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]
