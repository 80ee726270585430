from prometheus_client.mmap_dict import MmapedDict, mmap_key

from annotator.operations.health.figures import CountFile
from tests.promises.small_disks import fill, small_disk

KEYS = [mmap_key("x", "x_total", ["route"], [route], "") for route in ("ü", "home", "a" * 5000)]


def test_counts_that_find_the_disk_full_are_whole_once_there_is_space() -> None:
    with small_disk(1) as disk:
        files = [CountFile(str(disk / f"counter_{number}.db")) for number in (1, 2)]
        files[0].write_value(KEYS[0], 1.0, 0.0)
        filler = fill(disk)
        for file in files:
            for key in KEYS:
                file.write_value(key, 2.0, 0.0)
        # The second has no file that a reader could find broken; the first has what fitted.
        assert [path.name for path in disk.glob("*.db")] == ["counter_1.db"]
        found = list(MmapedDict.read_all_values_from_file(str(disk / "counter_1.db")))
        assert (KEYS[0], 2.0) in [(key, value) for key, value, *_ in found]
        filler.unlink()
        for file in files:
            for value, key in enumerate(KEYS):
                file.write_value(key, value, 0.0)
            file.close()
        for path in disk.glob("*.db"):
            stored = [row[:2] for row in MmapedDict.read_all_values_from_file(str(path))]
            assert sorted(stored) == sorted(zip(KEYS, (0.0, 1.0, 2.0), strict=True))
