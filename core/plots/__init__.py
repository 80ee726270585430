"""Plots as data: values in, shapes out; a template writes them as SVG. Standard library only."""
