"""The Django app of the rating house."""

from django.apps import AppConfig


class AnnotatorConfig(AppConfig):
    name = "annotator"
