"""Readers and writers of the Patent-CE files, ours and the published one."""
