"""Replacing one file: whole or not at all, in place, and only where it is allowed."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from honeyguide.kernel.errors import InvalidInput, Locked, PolicyRefused, Unreadable, Unsupported, Unwritable
from honeyguide.versions import TrustedRoots, contained, write_atomically
from honeyguide.versions.disk import RETRY_SECONDS, LocalDisk
from tests.fakes.disks import FailingDisk, fail_with

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and links")


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_and_its_folders_are_for_the_owner_only(tmp_path):
    path = write_atomically(tmp_path / "a" / "b" / "file.json", b"text")
    assert path.read_bytes() == b"text"
    if sys.platform != "win32":
        assert (mode_of(path), mode_of(path.parent), mode_of(path.parent.parent)) == (0o600, 0o700, 0o700)


def test_nothing_is_left_beside_the_file(tmp_path):
    write_atomically(tmp_path / "file", b"one")
    write_atomically(tmp_path / "file", b"two")
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_bytes() == b"two"


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o755])
def test_a_file_that_exists_keeps_its_mode(tmp_path, mode):
    path = tmp_path / "SKILL.md"
    path.write_bytes(b"old")
    path.chmod(mode)
    write_atomically(path, b"new")
    assert mode_of(path) == mode


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_a_file_that_exists_keeps_its_owner(tmp_path):
    path = tmp_path / "AGENTS.md"
    path.write_bytes(b"old")
    os.chown(path, 1234, 2345)
    write_atomically(path, b"new")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)


@pytest.mark.skipif(sys.platform != "linux", reason="extended attributes are read on Linux")
def test_a_file_that_exists_keeps_its_extended_attributes(tmp_path):
    path = tmp_path / "AGENTS.md"
    path.write_bytes(b"old")
    try:
        os.setxattr(path, "user.origin", b"team")
    except OSError as error:
        if error.errno == errno.ENOTSUP:
            pytest.skip("this file system has no user attributes")
        raise
    write_atomically(path, b"new")
    assert os.getxattr(path, "user.origin") == b"team"


@posix
def test_a_links_target_changes_and_the_link_stays(tmp_path):
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "AGENTS.md"
    target.write_bytes(b"old")
    link = tmp_path / "CLAUDE.md"
    link.symlink_to(target)
    assert write_atomically(link, b"new", roots=TrustedRoots((tmp_path,))) == target
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


@posix
@pytest.mark.parametrize("through", ["file", "folder"])
def test_a_link_that_leads_out_of_the_trusted_folders_is_refused(tmp_path, through):
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (outside / "file").write_bytes(b"theirs")
    if through == "file":
        (inside / "file").symlink_to(outside / "file")
        path = inside / "file"
    else:
        (inside / "folder").symlink_to(outside)
        path = inside / "folder" / "file"
    with pytest.raises(PolicyRefused):
        write_atomically(path, b"ours", roots=TrustedRoots((inside,)))
    assert (outside / "file").read_bytes() == b"theirs"


@pytest.mark.parametrize("path", ["../other/file", "../inside-too/file", "/etc/hosts"])
def test_a_path_outside_the_trusted_folders_is_refused(tmp_path, path):
    (tmp_path / "inside").mkdir()
    with pytest.raises(PolicyRefused):
        write_atomically(tmp_path / "inside" / path, b"x", roots=TrustedRoots((tmp_path / "inside",)))


@posix
def test_a_trusted_folder_may_itself_be_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_atomically(tmp_path / "link" / "file", b"x", roots=TrustedRoots((tmp_path / "link",)))
    assert (tmp_path / "real" / "file").read_bytes() == b"x"


@posix
def test_a_read_only_file_is_refused_and_stays(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(Unwritable, match="read-only"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


@posix
def test_a_file_with_two_names_is_refused_because_replacing_would_part_them(tmp_path):
    (tmp_path / "AGENTS.md").write_bytes(b"old")
    os.link(tmp_path / "AGENTS.md", tmp_path / "CLAUDE.md")
    with pytest.raises(Unwritable, match="hard links"):
        write_atomically(tmp_path / "AGENTS.md", b"new")


def test_a_folder_in_the_way_is_refused(tmp_path):
    (tmp_path / "file").mkdir()
    with pytest.raises(Unwritable):
        write_atomically(tmp_path / "file", b"new")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO])
def test_a_failing_disk_at_any_step_leaves_the_old_file_whole(tmp_path, number):
    path = tmp_path / "file"
    path.write_bytes(b"old" * 100)
    failed = 0
    for step in range(1, 20):
        disk = FailingDisk(step, fail_with(number))
        try:
            write_atomically(path, b"new" * 200, disk=disk)
        except Unwritable as error:
            failed += 1
            assert str(path) in error.message
            assert path.read_bytes() in (b"old" * 100, b"new" * 200)
        else:
            break
    assert failed >= 5
    assert path.read_bytes() == b"new" * 200


def sharing_violation() -> PermissionError:
    error = PermissionError(errno.EACCES, "The process cannot access the file")
    error.winerror = 32  # as Windows sets it when another program holds the file open
    return error


class BusyFile(type(Path())):
    """A path whose rename meets an open file for the first ``busy`` times, as on Windows."""

    busy = 0
    tried = 0

    def replace(self, target):
        BusyFile.tried += 1
        if BusyFile.tried <= BusyFile.busy:
            raise sharing_violation()
        return super().replace(target)


@pytest.mark.parametrize("busy", [0, 1, len(RETRY_SECONDS)])
def test_a_file_open_in_another_windows_program_is_tried_again(tmp_path, busy):
    waits: list[float] = []
    (tmp_path / "new").write_bytes(b"new")
    BusyFile.busy, BusyFile.tried = busy, 0
    LocalDisk(sleep=waits.append).replace(BusyFile(tmp_path / "new"), tmp_path / "file")
    assert waits == list(RETRY_SECONDS[:busy])
    assert (tmp_path / "file").read_bytes() == b"new"


def test_a_file_that_stays_open_in_another_windows_program_is_said_to_be(tmp_path):
    (tmp_path / "new").write_bytes(b"new")
    BusyFile.busy, BusyFile.tried = 1000, 0
    with pytest.raises(Locked, match="open in another program"):
        LocalDisk(sleep=lambda seconds: None).replace(BusyFile(tmp_path / "new"), tmp_path / "file")


@pytest.mark.parametrize("name", ["../x", "a/b", "a\\b", "..", ".hidden", "", "a\x00b", "x" * 201, " padded "])
def test_a_name_from_data_can_not_lead_out_of_its_folder(tmp_path, name):
    with pytest.raises(InvalidInput):
        contained(tmp_path, "fine", name)


@posix
def test_reading_refuses_what_is_not_a_regular_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    for name in ("pipe", "link", "."):
        with pytest.raises(Unreadable):
            LocalDisk().read(tmp_path / name)


def test_reading_refuses_what_can_not_be_a_prompt(tmp_path):
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(65 * 1024 * 1024)
    with pytest.raises(Unsupported):
        LocalDisk().read(tmp_path / "huge")
