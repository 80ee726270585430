"""What is missing or unsafe in an installation, and how to mend it."""
