"""Static files under hashed names, those that scripts import from each other included."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """A browser that keeps an old module beside a new one would run neither as written."""

    support_js_module_import_aggregation = True
