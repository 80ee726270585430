"""The parts of the benchmarks of unseen references: where their quadruplets come from."""
