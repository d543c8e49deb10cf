"""Reads a journal by internal/journal/format.md, and prints its entries: stream, number, time, hash, and the length of the data.

Only the standard library, and blake3, google-crc32c and zstandard of the package index. What does not hold is printed to stderr.
"""

import struct
import sys
from pathlib import Path

import blake3
import google_crc32c
import zstandard

TAGS = {1: b"audit", 2: b"catalog"}
PAGE = 4096
crc = google_crc32c.value


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
    assert rest[:4] == b"\2\0\0\0", "another version"
    return rest[8:24], rest[105:105 + rest[104]]


def frame(segment, at, key):
    """Returns the frame at an offset; None: there is no whole one."""
    if at + 112 > len(segment) - PAGE or segment[at:at + 4] != bytes.fromhex("0154524a"):
        return None
    length, total, _, write, start, stream, last, _, sum_, number, time = struct.unpack_from("<IIIIIBBHIQq", segment, at + 4)
    data, end = segment[at + 112:at + 112 + length], at + (112 + length + 7) // 8 * 8
    if crc(key + segment[at:at + 28] + bytes(4) + segment[at + 32:at + 112]) != sum_ or end > len(segment) - PAGE or crc(data) != total or start > at:
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


def marks(data, key):
    """Yields the marks of a sealed file, with the offsets behind them. It needs no table, so that it reads any file that begins whole."""
    at = 0
    while (at := data.find(struct.pack("<II", 0x184D2A51, 56), at)) >= 0:
        mark = data[at + 8:at + 64]
        if len(mark) == 56 and crc(key + mark[:52]) == struct.unpack("<I", mark[52:])[0]:
            number, count, length, sum_ = struct.unpack_from("<QIII", mark)
            yield number, count, data[at + 64:at + 64 + length], sum_, mark[20:52], at + 64 + length
            at += 64 + length
        else:
            at += 1


def sealed(path, stream, log):
    """Yields the entries of a sealed file that are whole."""
    data = path.read_bytes()
    begin = 8 + struct.unpack_from("<I", data, 4)[0]
    key = data[begin - 16:begin]
    found = list(marks(data, key))
    dictionary = zstandard.ZstdCompressionDict(b"")
    for at in (begin, found[-1][5]):  # it is there twice, if it is
        kind, length = struct.unpack_from("<II", data, at)
        packed = data[at + 8:at + 8 + length]
        if kind == 0x184D2A52 and crc(key + packed[:-4]) == struct.unpack("<I", packed[-4:])[0]:
            dictionary = zstandard.ZstdCompressionDict(zstandard.ZstdDecompressor().decompress(packed[:-4]), dict_type=zstandard.DICT_TYPE_RAWCONTENT)
    unpack = zstandard.ZstdDecompressor(dict_data=dictionary)
    for (number, count, block, sum_, previous, _), after in zip(found, found[1:]):
        if crc(block) != sum_:
            continue  # it is damaged: main names what is missing
        rest, entries = unpack.decompress(block) if block else b"", []
        for number in range(number, number + count):
            time, length = struct.unpack_from("<qI", rest)
            previous = chained(stream, log, number, time, previous, rest[12:12 + length])
            entries.append((stream, number, time, previous, rest[12:12 + length]))
            rest = rest[12 + length:]
        if count and after[0] == number + 1 and after[4] != previous:
            continue  # it was altered
        yield from entries


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
    last = {}
    for stream, number, time, hash_, data in sorted(entries, key=lambda e: e[:2]):
        if (stream, number) not in seen:
            seen.add((stream, number))
            if number > last.get(stream, number) + 1:
                print(f"entries {last[stream] + 1} to {number - 1} of stream {stream} are missing", file=sys.stderr)
            last[stream] = number
            print(stream, number, time, hash_.hex(), len(data))


main(Path(sys.argv[1]))
