"""Files, archives and folders: opened within bounds, only read, and each trouble named."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import tarfile
import zipfile

import pytest

from honeyguide.kernel.errors import InvalidInput, Unreadable, Unsupported
from honeyguide.traces import health
from honeyguide.traces.readers import opening
from honeyguide.traces.readers.detect import (
    FileReport,
    ReadOptions,
    import_counts,
    read_path,
    read_tree,
)
from tests.traces.readers.samples import (
    ANSWERED,
    SAMPLES,
    claude_code,
    codex,
    codex_lines,
    event,
    inspect_archive,
    inspect_sample,
    jsonl,
    tokens,
    xlsx,
)


def zipped(entries, compression=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return out.getvalue()


def tarred(entries):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in entries.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.jsonl", claude_code()),
        ("a.jsonl.gz", gzip.compress(claude_code())),
        ("a.zip", zipped({"projects/x/a.jsonl": claude_code()})),
        ("a.tar", tarred({"projects/x/a.jsonl": claude_code()})),
        ("a.tgz", gzip.compress(tarred({"projects/x/a.jsonl": claude_code()}))),
        ("a.zip", zipped({"inner.zip": zipped({"a.jsonl": claude_code()})})),
    ],
    ids=["plain", "gzip", "zip", "tar", "tgz", "zip-in-zip"],
)
def test_a_history_is_found_in_every_wrapping(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    report = FileReport(path)
    counts = import_counts(read_path(path, report=report))
    assert (counts["human_prompts"], report.source, report.traces) == (1, "claude-code", 1)


def test_an_archive_of_several_sources_names_them_all(tmp_path):
    path = tmp_path / "all.zip"
    path.write_bytes(
        zipped({"1.jsonl": claude_code(), "2.jsonl": codex(), "3.json": b'{"unknown": true}', "x.png": b"\x89PNG"})
    )
    report = FileReport(path)
    assert import_counts(read_path(path, report=report))["conversations"] == 2
    assert report.source == "claude-code, codex"
    assert report.health.counts() == {"unknown-format": 1}


def test_logs_and_spreadsheets_that_are_zip_files_reach_their_readers(tmp_path):
    log, sheet = tmp_path / "a.eval", tmp_path / "b.xlsx"
    log.write_bytes(inspect_archive(inspect_sample()))
    sheet.write_bytes(xlsx([["question", "answer"], ["A?", "B."]]))
    assert next(read_path(log)).source == "inspect"
    assert next(read_path(sheet)).source == "table"


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    bomb = tmp_path / "bomb.zip"
    bomb.write_bytes(zipped({"a.jsonl": b"0" * 3_000_000}))
    with pytest.raises(Unreadable, match="200 times"):
        list(read_path(bomb))
    packed = tmp_path / "bomb.jsonl.gz"
    packed.write_bytes(gzip.compress(b"0" * 3_000_000))
    with pytest.raises(Unreadable, match="200 times"):
        list(read_path(packed))
    monkeypatch.setattr(opening, "MAX_UNPACKED", 1000)
    large = tmp_path / "large.zip"
    large.write_bytes(zipped({"a.jsonl": os.urandom(2000)}))
    with pytest.raises(Unreadable, match="2 GiB"):
        list(read_path(large))


def test_an_archive_of_too_many_entries_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "MAX_ENTRIES", 3)
    path = tmp_path / "many.zip"
    path.write_bytes(zipped({f"{n}.jsonl": b"{}" for n in range(4)}))
    with pytest.raises(Unreadable, match="entries"):
        list(read_path(path))


def test_an_entry_that_holds_more_than_the_directory_says_is_refused(tmp_path):
    data = bytearray(zipped({"a.jsonl": claude_code()}, zipfile.ZIP_STORED))
    place = data.rfind(b"PK\x01\x02")
    data[place + 24 : place + 28] = (5).to_bytes(4, "little")
    path = tmp_path / "lie.zip"
    path.write_bytes(bytes(data))
    with pytest.raises(Unreadable):
        list(read_path(path))


@pytest.mark.parametrize("cut", [30, 90, 200])
def test_damaged_archives_are_said_in_one_sentence(tmp_path, cut):
    for name, data in {"a.zip": zipped({"a.jsonl": claude_code()}), "a.gz": gzip.compress(claude_code())}.items():
        path = tmp_path / name
        path.write_bytes(data[:cut])
        with pytest.raises((Unreadable, Unsupported)):
            list(read_path(path))


def test_names_inside_archives_never_become_paths(tmp_path):
    path = tmp_path / "deep" / "evil.zip"
    path.parent.mkdir()
    path.write_bytes(zipped({"../../escaped.jsonl": claude_code(), "/abs.jsonl": codex()}))
    before = sorted(tmp_path.rglob("*"))
    assert import_counts(read_path(path))["conversations"] == 2
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_source_files_are_only_read(tmp_path, name):
    path = tmp_path / "history.bin"
    path.write_bytes(SAMPLES[name]())
    os.utime(path, ns=(1_700_000_000_000_000_000, 1_700_000_000_000_000_000))
    path.chmod(0o400)
    before = (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_mode)
    assert list(read_path(path))
    assert (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_mode) == before


def test_a_folder_with_trouble_is_read_and_the_trouble_named(tmp_path):
    for number in range(50):
        (tmp_path / f"{number:02d}.jsonl").write_bytes(
            claude_code().replace(b"s-1", f"s-{number}".encode()).replace(b'"u1"', f'"u{number}"'.encode())
        )
    (tmp_path / "broken.jsonl").symlink_to(tmp_path / "gone.jsonl")
    (tmp_path / "damaged.zip").write_bytes(b"PK\x03\x04broken")
    (tmp_path / "notes.md").write_text("no history")
    (tmp_path / "loop").symlink_to(tmp_path)
    reports: list[FileReport] = []
    counts = import_counts(read_tree(tmp_path, reports=reports.append))
    assert counts["conversations"] == 50
    trouble = {report.path.name: report.to_json() for report in reports if report.message}
    assert sorted(trouble) == ["broken.jsonl", "damaged.zip"]
    assert "broken link" in trouble["broken.jsonl"]["message"]
    assert trouble["broken.jsonl"]["health"] == [{"problem": "unreadable", "lines": [], "count": 1}]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a user whom permissions bind")
def test_a_file_without_permission_is_named(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(claude_code())
    (tmp_path / "b.jsonl").write_bytes(codex())
    (tmp_path / "b.jsonl").chmod(0)
    reports: list[FileReport] = []
    assert import_counts(read_tree(tmp_path, reports=reports.append))["conversations"] == 1
    assert "permission" in next(r.message for r in reports if r.message)


def test_a_file_that_was_named_itself_must_be_readable(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"neither": "nor"}\n')
    with pytest.raises(Unsupported) as caught:
        list(read_tree(tmp_path / "a.jsonl"))
    assert "--source" in caught.value.hint
    with pytest.raises(Unreadable):
        list(read_tree(tmp_path / "missing.jsonl"))


def test_an_empty_file_holds_nothing_and_is_no_error(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b"\n\n")
    assert list(read_path(tmp_path / "a.jsonl")) == []


def test_a_wanted_source_is_taken_at_its_word(tmp_path):
    path = tmp_path / "rows.json"
    path.write_text(json.dumps({"input": "A?", "output": "B."}))
    assert next(read_path(path, source="table")).traces[0].payload.output == "B."
    with pytest.raises(Unsupported):
        list(read_path(path, source="nonsense"))


def test_a_column_mapping_says_that_a_file_is_a_table(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("wish,gift\nA?,B.\n")
    mapping = {"wish": "input", "gift": "output"}
    assert next(read_path(path, mapping=mapping)).traces[0].payload.output == "B."
    with pytest.raises(InvalidInput):
        list(read_path(path, source="codex", mapping=mapping))


def test_a_forked_session_finds_its_parent_on_disk(tmp_path):
    day = tmp_path / "sessions" / "2026" / "05"
    (day / "01").mkdir(parents=True)
    (day / "02").mkdir()
    at = "2026-05-01T10:00:{:02d}.000Z".format
    parent = [*codex_lines("c-1"), event(at(1), "user_message", message="Go."), tokens(at(2), (1000, 50, 0))]
    child = [
        {**codex_lines("c-2", forked_from_id="c-1")[0], "timestamp": at(30)},
        *({**row, "timestamp": at(30)} for row in parent[1:]),
        event(at(31), "user_message", message="On."),
        tokens(at(32), (1200, 60, 0), (200, 10, 0)),
    ]
    (day / "01" / "rollout-x-c-1.jsonl").write_bytes(jsonl(parent))
    (day / "02" / "rollout-x-c-2.jsonl").write_bytes(jsonl(child))
    reports: list[FileReport] = []
    counts = import_counts(read_tree(tmp_path, reports=reports.append))
    assert (counts["tokens"]["input"], counts["human_prompts"]) == (1200, 2)
    assert all(report.health.count(health.MISSING_PARENT) == 0 for report in reports)


def test_what_crosses_to_a_worker_process_can_be_pickled(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(claude_code() + b"{torn")
    report = FileReport(path)
    options = pickle.loads(pickle.dumps(ReadOptions(source="claude-code")))
    conversations = list(read_path(path, options=options, report=report))
    assert pickle.loads(pickle.dumps(conversations)) == conversations
    assert pickle.loads(pickle.dumps(report)).to_json() == report.to_json()


def test_options_carry_the_code_page_and_the_cap_for_lines(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("question,answer\nKöln?,Rhein.\n".encode("cp1252"))
    assert next(read_path(path, options=ReadOptions(encoding="cp1252"))).traces[0].payload.input == "Köln?"
    history = tmp_path / "a.jsonl"
    history.write_bytes(claude_code().replace(ANSWERED.encode(), b"x" * 50_000))
    report = FileReport(history)
    list(read_path(history, options=ReadOptions(line_limit=10_000), report=report))
    assert report.health.count(health.OVER_LONG) == 1
