"""LibreOffice as a second reader and writer of documents, where it is installed."""

import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

PROGRAM: Final = shutil.which("soffice")
WORD: Final = "docx:MS Word 2007 XML"
PDF: Final = "pdf:writer_pdf_Export"
needs_office = pytest.mark.skipif(
    PROGRAM is None, reason="no soffice: apt-get install libreoffice-writer"
)


def converted(folder: Path, name: str, content: bytes, target: str, *options: str) -> bytes:
    """Have the program read a file and write it as another kind; return that."""
    (folder / name).write_bytes(content)
    profile = f"-env:UserInstallation=file://{folder}/profile"
    command = [str(PROGRAM), profile, "--headless", *options]
    command += ["--convert-to", target, "--outdir", "out", name]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
    (found,) = (folder / "out").iterdir()
    return found.read_bytes()
