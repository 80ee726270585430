"""Where the file of a form lies while its request is read: in DATA_DIR, under no name of its own.

Django's own handler puts it into the system's temporary folder and keeps the ending of its name,
which a browser may make as long and as odd as it likes.
"""

import tempfile
from typing import Any

from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, TemporaryFileUploadHandler

from annotator.services.uploaded_files import arrivals_directory


class ArrivingFile(TemporaryUploadedFile):
    """A file that is deleted when its request ends; `tempfile` makes it with mode 0600."""

    def __init__(self, *described: Any) -> None:
        # Closed with the request, as those of Django are.
        file: Any = tempfile.NamedTemporaryFile(dir=arrivals_directory())  # noqa: SIM115
        UploadedFile.__init__(self, file, *described)


class ArrivalsHandler(TemporaryFileUploadHandler):
    """Streams a file that is too large for memory to its place in DATA_DIR."""

    def new_file(self, *args: Any, **more: Any) -> None:
        FileUploadHandler.new_file(self, *args, **more)
        self.file = ArrivingFile(
            self.file_name, self.content_type, 0, self.charset, self.content_type_extra
        )
