"""The demo room: the pure plan of the demo campaign, made from the files in fixtures/demo."""
