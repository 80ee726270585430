"""PDF with a text layer: pages to lines by position, lines to claims."""
