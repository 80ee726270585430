"""One small document of each kind, for tests that damage it."""

from tests.patclaimeval.documents.pdf_files import column, pdf_file
from tests.patclaimeval.documents.test_google_page import FIRST, PAGE, SECOND
from tests.patclaimeval.documents.test_office_xml import EUROPEAN, GRANT
from tests.patclaimeval.documents.word_files import (
    CLAIMS,
    added,
    paragraph,
    removed,
    text,
    word_file,
    zipped,
)

_BODY = paragraph("Claims") + paragraph(
    "A cup ", removed("of tin"), added(text("of clay")), ".", number=(1, 0)
)
_BODY += paragraph("The cup of claim 1.", number=(1, 0)) + paragraph("", "<w:r><w:drawing/></w:r>")

DOCUMENTS: dict[str, bytes] = {
    "docx": word_file(_BODY, numbering=CLAIMS),
    "xml": GRANT.encode(),
    "xml in two languages": EUROPEAN.encode(),
    "html": PAGE.format(FIRST + SECOND).encode(),
    "pdf": pdf_file([column(["Claims", "1. A cup for tea, with a", "handle.", "2. A mug."])]),
    "text": b"A reference.\nClaims\n1. A cup.\n2. The cup of claim 1.\nAbstract\nA cup.",
    "zip": zipped({"P1/reference.txt": "1. A cup.", "P1/candidates/a.txt": "1. A mug."}),
}
