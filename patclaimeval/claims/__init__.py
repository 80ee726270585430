"""Claims: pure functions over claim text, standard library only."""
