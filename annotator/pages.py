"""The map of the screens of the rating house."""

from django.urls import path

from annotator.views import campaigns, health, home, people, ratings, rubric

app_name = "annotator"

urlpatterns = [
    path("", home.home, name="home"),
    path("login/", people.SignIn.as_view(), name="login"),
    path("logout/", people.SignOut.as_view(), name="logout"),
    path("rated/", home.rated, name="rated"),
    path("rate/<uuid:pk>/", ratings.rate, name="rate"),
    path("rate/<uuid:pk>/overall/", ratings.overall, name="overall"),
    path("rubric/", rubric.rubric, name="rubric"),
    path("rubric/<str:name>/", rubric.rubric_criterion, name="rubric_criterion"),
    path("campaigns/<slug:slug>/", campaigns.campaign, name="campaign"),
    path("campaigns/<slug:slug>/next/", ratings.take_next_candidate, name="take_next"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]
