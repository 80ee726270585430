"""Claims out of the files that attorneys hold: Word, office XML, PDF, web pages, text, archives.

Nothing here is stored, and no Django is known: each reader takes bytes and returns a
`ReadDocument`, or refuses in a sentence. They run in a process of their own (`confined.py`),
because what they read comes from anywhere.
"""
