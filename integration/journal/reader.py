"""Reads a journal by docs/journal.md, and prints its entries: stream, number, time, hash, and the length of the data.

Only the standard library, and blake3 and zstandard of the package index. What does not hold is printed to stderr.
"""

import struct
import sys
from pathlib import Path

import blake3
import google_crc32c
import zstandard

TAGS = {1: b"audit", 2: b"catalog"}
PAGE = 4096


def crc(data):
    return google_crc32c.value(data)


def chained(stream, log, number, at, previous, data):
    tag = TAGS[stream]
    content = blake3.blake3(b"toolresult " + tag + b" content 1\n" + data).digest()
    place = struct.pack(">Q", len(log)) + log + struct.pack(">Qq", number, at)
    return blake3.blake3(b"toolresult " + tag + b" chain 1\n" + previous + place + content).digest()


def head(page):
    """Returns the key and the log of a segment; None: the page is none."""
    magic = b"toolresult journal segment\n"
    if not page.startswith(magic) or crc(page[:-4]) != struct.unpack("<I", page[-4:])[0]:
        return None
    rest = page[len(magic):]
    version, = struct.unpack_from("<I", rest)
    assert version == 1, f"version {version}"
    at = 24 + 2 * 40
    return rest[8:24], rest[at + 1:at + 1 + rest[at]]


def frame(segment, at, key):
    """Returns the frame at an offset; None: there is no whole one."""
    if at + 112 > len(segment) - PAGE or segment[at:at + 4] != bytes.fromhex("0154524a"):
        return None
    length, total, _, write, start, stream, last, _, sum_, number, time = struct.unpack_from("<IIIIIBBHIQq", segment, at + 4)
    header = segment[at:at + 28] + bytes(4) + segment[at + 32:at + 112]
    data = segment[at + 112:at + 112 + length]
    end = at + (112 + length + 7) // 8 * 8
    if crc(key + header) != sum_ or end > len(segment) - PAGE or crc(data) != total or start > at:
        return None
    return dict(at=at, end=end, write=write, start=start, stream=stream, last=last, number=number, time=time,
                previous=segment[at + 48:at + 80], hash=segment[at + 80:at + 112], data=data)


def frames(segment, key):
    """Yields the frames of a segment that count."""
    found, at = [], PAGE
    while at < len(segment) - PAGE:
        f = frame(segment, at, key)
        if f:
            found.append(f)
        at = f["end"] if f else at + 8
    durable, end, kept = max([f["start"] for f in found], default=PAGE), PAGE, []
    for f in found:
        before = kept[-1] if kept else None
        follows = not before or f["write"] == before["write"] or f["write"] > before["write"] and f["start"] == f["at"]
        if (f["at"] != end or not follows) and end >= durable:
            break
        kept.append(f)
        end = f["end"]
    while kept and not kept[-1]["last"] and kept[-1]["start"] >= durable:
        kept.pop()
    return kept


def sealed(path, stream, log):
    """Yields the entries of a sealed file."""
    data = path.read_bytes()
    at = 8 + struct.unpack_from("<I", data, 4)[0]
    key = data[at - 16:at]
    while at < len(data):
        length, = struct.unpack_from("<I", data, at + 4)
        mark = data[at + 8:at + 8 + length]
        at += 8 + length
        if length != 88 or crc(key + mark[:84]) != struct.unpack("<I", mark[84:])[0]:
            continue  # the table
        number, count, size, sum_ = struct.unpack_from("<QIII", mark)
        previous, block = mark[20:52], data[at:at + size]
        assert crc(block) == sum_, f"the block of {number} is damaged"
        rest, at = zstandard.ZstdDecompressor().decompressobj().decompress(block), at + size
        for number in range(number, number + count):
            time, length = struct.unpack_from("<qI", rest)
            entry, rest = rest[12:12 + length], rest[12 + length:]
            previous = chained(stream, log, number, time, previous, entry)
            yield stream, number, time, previous, entry
        assert previous == mark[52:84], f"the block up to {number} was altered"


def main(journal):
    seen, segments = set(), []
    for path in sorted(journal.glob("segments/[0-9]*.segment")):
        segment = path.read_bytes()
        found = head(segment[:PAGE]) or head(segment[-PAGE:])
        if found:
            segments.append((segment, *found))
    log = segments[-1][2]
    entries = [e for stream, name in ((1, "records"), (2, "catalog"))
               for path in sorted(journal.glob(name + "/*.zst")) for e in sealed(path, stream, log)]
    for segment, key, _ in segments:
        for f in frames(segment, key):
            if f["stream"] and f["hash"] != chained(f["stream"], log, f["number"], f["time"], f["previous"], f["data"]):
                print(f"entry {f['number']} was altered", file=sys.stderr)
            elif f["stream"]:
                entries.append((f["stream"], f["number"], f["time"], f["hash"], f["data"]))
    for stream, number, time, hash_, data in sorted(entries, key=lambda e: e[:2]):
        if (stream, number) not in seen:
            seen.add((stream, number))
            print(stream, number, time, hash_.hex(), len(data))


main(Path(sys.argv[1]))
