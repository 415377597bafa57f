"""The spec: hashes as hiveloom takes them, problems with place and remedy, and nothing executed."""

from __future__ import annotations

from pathlib import Path

import pytest

from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.spec.canonical import hashed_text, recorded_text
from honeyguide.harnesses.spec.fingerprints import fingerprints, version_hash
from honeyguide.harnesses.spec.models import HarnessSpec
from honeyguide.harnesses.spec.paths import covers, set_value, touches
from honeyguide.harnesses.spec.reading import parse_document
from honeyguide.kernel.errors import InvalidInput, NotFound
from tests.fakes.harness_folders import SPEC, write_folder

MINIMAL = "name: x\ndescription: d\nsystem_prompt: s\n"


def spec_of(text: str) -> HarnessSpec:
    return HarnessSpec.model_validate(parse_document(text).data)


def test_a_header_comment_and_the_order_of_keys_do_not_change_the_hash():
    plain = version_hash(spec_of(MINIMAL), None)
    assert version_hash(spec_of("# evolved: 7\nsystem_prompt: s\ndescription: d\nname: x\n"), None) == plain


@pytest.mark.parametrize(
    "change",
    ["loop: {max_turns: 20}", "evolution: {trace_excerpts: {enabled: false}}", "memory: {enabled: true}", "tools: []"],
)
def test_writing_out_a_default_does_not_change_the_hash(change):
    assert version_hash(spec_of(MINIMAL + change), None) == version_hash(spec_of(MINIMAL), None)


@pytest.mark.parametrize(
    "change", ["loop: {max_turns: 21}", "description: e", "guardrails: [{builtin: max_cost_usd, value: 1}]", "id: hl-1"]
)
def test_what_a_run_could_notice_changes_the_hash(change):
    assert version_hash(spec_of(MINIMAL + change), None) != version_hash(spec_of(MINIMAL), None)


def test_a_spec_without_a_cost_ceiling_gets_one_dollar_as_its_last_guardrail():
    spec = spec_of(MINIMAL + "guardrails: [{builtin: tool_allowlist}]")
    assert [g.builtin for g in spec.guardrails] == ["tool_allowlist", "max_cost_usd"]
    assert "- builtin: max_cost_usd\n  value: 1.0\n" in hashed_text(spec)


def test_the_hashed_text_calls_the_format_version_and_a_journal_does_not():
    spec = spec_of(MINIMAL)
    assert hashed_text(spec).startswith("version: 0.2.0\nname: x\n")
    assert recorded_text(spec).startswith("schema_version: 0.2.0\nname: x\n")


def test_the_hash_sees_named_files_and_the_fingerprint_also_what_they_import(tmp_path):
    root = write_folder(tmp_path / "desk")
    before = fingerprints(Harness.open(root).spec, root)
    (root / "tools" / "helper.py").write_text("X = 1\n")
    helped = fingerprints(Harness.open(root).spec, root)
    assert helped.hash == before.hash
    assert helped.fingerprint != before.fingerprint
    assert helped.beyond == ("tools/helper.py",)
    (root / "validators" / "tone.py").write_text("# a remark\n" + (root / "validators" / "tone.py").read_text())
    assert fingerprints(Harness.open(root).spec, root).hash != before.hash


def test_journals_secrets_and_caches_are_in_no_hash(tmp_path):
    root = write_folder(tmp_path / "desk")
    before = fingerprints(Harness.open(root).spec, root)
    for name in (".env", ".hiveloom/traces/r.jsonl", "__pycache__/a.pyc", "tools/drawers.py.bak"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("secret")
    assert fingerprints(Harness.open(root).spec, root) == before


def test_links_count_under_their_target_and_not_when_they_lead_out(tmp_path):
    root = write_folder(tmp_path / "desk")
    tone = root / "validators" / "tone.py"
    tone.rename(root / "kept.py")
    tone.symlink_to(root / "kept.py")
    assert "kept.py" in dict(fingerprints(Harness.open(root).spec, root).files)
    outside = tmp_path / "elsewhere.py"
    (root / "kept.py").rename(outside)
    tone.unlink()
    tone.symlink_to(outside)
    found = fingerprints(Harness.open(root).spec, root)
    assert [path for path, _ in found.files] == ["tools/drawers.py"]
    assert found.skipped == ("validators/tone.py",)


def test_files_are_hashed_in_the_order_of_their_parts(tmp_path):
    refs = "".join(f"- code: {name}:f\n  description: d\n" for name in ("a-b/x.py", "a/x.py"))
    code = {"a-b/x.py": "def f(x): ...\n", "a/x.py": "def f(x): ...\n"}
    root = write_folder(tmp_path / "h", MINIMAL + "tools:\n" + refs, code)
    assert [path for path, _ in fingerprints(Harness.open(root).spec, root).files] == ["a/x.py", "a-b/x.py"]


def test_a_valid_folder_has_no_problems(tmp_path):
    harness = Harness.open(write_folder(tmp_path / "desk"))
    assert harness.problems == ()
    assert harness.checked.is_valid


@pytest.mark.parametrize(
    ("text", "code", "path", "line", "in_remedy"),
    [
        ("name: x\nsystem_prompt: s\n", "missing-field", "description", 1, "description"),
        (MINIMAL + "loop:\n  max_turns: 0\n", "invalid-value", "loop.max_turns", 5, "Correct"),
        (MINIMAL + "memory:\n  max_entires: 3\n", "unknown-field", "memory.max_entires", 5, "max_entries"),
        ("name: x\ndescription: d\nsystem_prompt: yes\n", "yaml-trap", "system_prompt", 3, "'yes'"),
        (MINIMAL + "evolution:\n  reflect:\n    on: any\n", "yaml-trap", "evolution.reflect.on", 6, "'on':"),
        (MINIMAL + "name: y\n", "doubled-key", "name", 4, "Remove"),
        (MINIMAL + "tools:\n- builtin: shel\n", "invalid-value", "tools.0", 5, "Correct the name"),
        (MINIMAL + "tools:\n- code: a.py:f\n  description: d\n", "missing-file", "tools.0", 5, "Add the file"),
        (MINIMAL + "tools:\n- code: ../a.py:f\n  description: d\n", "outside-folder", "tools.0", 5, "Move"),
        (MINIMAL + "skills: [packing]\n", "missing-file", "skills.0", 4, "Add"),
        (MINIMAL + "version: 0.1.0\n", "legacy-field", "version", 4, "Rename"),
    ],
)
def test_a_problem_says_where_and_what_to_do(tmp_path, text, code, path, line, in_remedy):
    problems = {p.code: p for p in Harness.open(write_folder(tmp_path / "h", text, {})).problems}
    assert code in problems
    assert (problems[code].path, problems[code].line) == (path, line)
    assert in_remedy in problems[code].remedy


def test_code_is_looked_at_and_never_imported(tmp_path):
    code = f"import pathlib\npathlib.Path({str(tmp_path / 'ran')!r}).touch()\ndef check(output): ...\n"
    spec = MINIMAL + "verify:\n  validators:\n  - code: v.py:check\nextensions: [v.py]\n"
    harness = Harness.open(write_folder(tmp_path / "h", spec, {"v.py": code}))
    assert [p.code for p in harness.problems] == ["extensions", "too-few-arguments"]
    assert harness.fingerprints.hash
    assert not (tmp_path / "ran").exists()


def test_an_unknown_field_is_kept_and_named_but_hides_nothing_else(tmp_path):
    harness = Harness.open(write_folder(tmp_path / "h", MINIMAL + "colour: blue\n", {}))
    assert not harness.checked.is_valid
    assert harness.spec.name == "x"


def test_an_invalid_folder_says_its_first_problem(tmp_path):
    harness = Harness.open(write_folder(tmp_path / "h", "name: x\n", {}))
    with pytest.raises(InvalidInput, match="description"):
        _ = harness.spec


def test_a_folder_without_a_harness_is_not_found(tmp_path):
    with pytest.raises(NotFound):
        Harness.open(tmp_path)


@pytest.mark.parametrize("text", ["- a\n", "a: [\n", "a: 1\n b: 2\n"])
def test_what_is_no_mapping_is_refused_with_a_sentence(text):
    with pytest.raises(InvalidInput):
        parse_document(text)


def test_the_counter_is_the_first_such_comment():
    assert parse_document("# evolved: 4\nname: x\n").evolved == 4
    assert parse_document(SPEC).evolved == 0


@pytest.mark.parametrize(
    ("outer", "inner", "is_covered", "is_touched"),
    [
        ("model", "Model.id", True, True),
        ("logging.redact", "logging", False, True),
        ("model", "models", False, False),
        ("memory.entries", "memory.entries.0.content", True, True),
    ],
)
def test_paths_cover_what_is_below_them_and_touch_what_is_above_too(outer, inner, is_covered, is_touched):
    assert covers(outer, inner) is is_covered
    assert touches(outer, inner) is is_touched


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.b", {"a": {"b": 9}, "l": [1, 2]}),
        ("c.d", {"a": {"b": 1}, "l": [1, 2], "c": {"d": 9}}),
        ("l.1", {"a": {"b": 1}, "l": [1, 9]}),
        ("l.2", {"a": {"b": 1}, "l": [1, 2, 9]}),
        ("l.+", {"a": {"b": 1}, "l": [1, 2, 9]}),
    ],
)
def test_setting_a_path(path, expected):
    data = {"a": {"b": 1}, "l": [1, 2]}
    set_value(data, path, 9)
    assert data == expected


@pytest.mark.parametrize("path", ["l.-1", "l.3", "l.x", "a.+", "a.b.c", "a..b", "l.+.x"])
def test_a_path_that_does_not_fit_is_refused(path):
    with pytest.raises(ValueError):
        set_value({"a": {"b": 1}, "l": [1, 2]}, path, 9)


def test_opening_by_the_file_is_the_same_as_by_the_folder(tmp_path):
    root = write_folder(tmp_path / "desk")
    assert Harness.open(root / "harness.yaml").root == Harness.open(Path(root)).root
