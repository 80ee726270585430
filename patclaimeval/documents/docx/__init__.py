"""Word documents: their parts, automatic numbers, tracked changes, paragraphs, claims."""
