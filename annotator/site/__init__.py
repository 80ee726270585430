"""What settings put around every request before a view sees it, the gate left out."""
