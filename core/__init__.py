"""What both packages need: no tables, no claims."""
