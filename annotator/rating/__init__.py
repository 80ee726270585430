"""The rate page: ratings, drafts, what leaves the queue."""
