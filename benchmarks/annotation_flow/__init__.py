"""The parts of the benchmark annotation_flow.py: servers, clients, texts and figures."""
