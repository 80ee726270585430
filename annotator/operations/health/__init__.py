"""How an installation is: what is missing or unsafe and how to mend it, and its figures."""
