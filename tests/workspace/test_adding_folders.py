"""A folder in place of a file: a harness folder is meant as a harness, any other is refused by a sentence."""

from __future__ import annotations

import pytest

from honeyguide.kernel.errors import InvalidInput
from honeyguide.workspace import TargetKind
from tests.fakes.harness_folders import write_folder


@pytest.mark.parametrize("kind", [None, "harness"])
async def test_a_harness_folder_stands_for_its_file(workspace, tmp_path, kind):
    root = write_folder(tmp_path / "drawers")
    row = await workspace.add_target(root, kind=kind)
    assert (row.ref.kind, row.path) == (TargetKind.HARNESS, str(root / "harness.yaml"))


async def test_another_folder_is_refused_by_its_name(workspace, tmp_path):
    with pytest.raises(InvalidInput, match=r"prompts is a folder, and a target is one file\."):
        (tmp_path / "prompts").mkdir()
        await workspace.add_target(tmp_path / "prompts")
