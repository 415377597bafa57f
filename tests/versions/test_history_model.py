"""The version store and deploy against a simple model, on a disk that loses power at any step.

The model: a list of states (bytes, or no file) with their origins, and the live bytes. After a power cut and a
repair the workspace must be as before the interrupted change, or as after it; never in between.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.clock import ManualClock
from honeyguide.kernel.errors import Conflict, NotFound, Stale, Unwritable
from honeyguide.versions import Actor, Change, Deployer, LiveFile, Origin, VersionStore
from tests.fakes.disks import ModelDisk, PowerCut

ME = Actor("ada", "python")
WORKSPACE = Path("/workspace")
ONE = LiveFile("generic", "one", WORKSPACE / "generic-overrides" / "one.md", keeps_bak=True, builtin=b"builtin")
TWO = LiveFile("skill-body", "two", Path("/skills/two/SKILL.md"))
LIVE = {"one": ONE, "two": TWO}

State = bytes | None


@dataclass(frozen=True)
class Target:
    """What the model knows of one target."""

    live: State
    log: tuple[tuple[Origin, State], ...] = ()
    stands_for: tuple[int, ...] = ()  # for each version: the index of the version whose place it takes

    def noticed(self) -> Target:
        if self.log and self.log[-1][1] == self.live:
            return self
        return self.recorded(Origin.EDITED_OUTSIDE if self.log else Origin.FOUND, self.live)

    def recorded(self, origin: Origin, state: State, stands_for: int | None = None) -> Target:
        place = len(self.log) if stands_for is None else self.stands_for[stands_for]
        return Target(state, (*self.log, (origin, state)), (*self.stands_for, place))

    def previous(self) -> int | None:
        here = self.stands_for[-1]
        return next((i for i in range(here - 1, -1, -1) if self.log[i][1] != self.log[-1][1]), None)


Model = dict[str, Target]
texts = st.sampled_from([b"a", b"bb", b"ccc", b"dddd" * 50, b""])
names = st.sampled_from(["one", "two"])
operations = st.one_of(
    st.tuples(st.just("deploy"), st.lists(names, min_size=1, max_size=2, unique=True), texts, st.booleans()),
    st.tuples(st.just("rollback"), names, st.none() | st.integers(1, 5)),
    st.tuples(st.just("backup"), names),
    st.tuples(st.just("notice"), names),
    st.tuples(st.just("edit"), names, st.none() | texts),
)


def expected(model: Model, operation: tuple) -> Model:
    """Return the model after ``operation``; the same model when it is refused."""
    match operation:
        case ("deploy", targets, data, True):
            return {**model, **{n: model[n].noticed().recorded(Origin.ACCEPTED, data) for n in targets}}
        case ("rollback", name, to):
            target = model[name]
            if not target.log or (to is not None and to > len(target.log)):
                return model
            target = target.noticed()
            place = to - 1 if to is not None else target.previous()
            if place is None or target.log[place][1] == target.live:
                return model
            return {**model, name: target.recorded(Origin.RESTORED, target.log[place][1], place)}
        case ("backup", name):
            target = model[name]
            edited = bool(target.log) and target.log[-1][1] != target.live
            return {**model, name: target.recorded(Origin.EDITED_OUTSIDE if edited else Origin.FOUND, target.live)}
        case ("notice", name):
            return {**model, name: model[name].noticed() if model[name].log else model[name]}
        case ("edit", name, data):
            return {**model, name: replace(model[name], live=data)}
    return model


def half_way(model: Model, operation: tuple) -> list[Model]:
    """Return what an interrupted operation may leave: nothing, or only the record of what was found."""
    match operation:
        case ("deploy", targets, _, True):
            return [
                {**model, **{n: model[n].noticed() for n in some}} for some in ((), targets[:1], targets[1:], targets)
            ]
        case ("rollback", name, _):
            return [model, {**model, name: model[name].noticed()}]
    return [model]


def perform(disk: ModelDisk, operation: tuple) -> None:
    deployer = deployer_on(disk)
    match operation:
        case ("deploy", targets, data, matches):
            changes = [
                Change(LIVE[n], data, deployer.live_fingerprint(LIVE[n]) if matches else sha256_hex(b"other"))
                for n in targets
            ]
            deployer.deploy(changes, ME)
        case ("rollback", name, to):
            deployer.rollback(LIVE[name], ME, to=to)
        case ("backup", name):
            deployer.backup(LIVE[name], ME)
        case ("notice", name):
            deployer.notice(LIVE[name], ME)
        case ("edit", name, data):
            disk.put(LIVE[name].path, data)


def deployer_on(disk: ModelDisk) -> Deployer:
    return Deployer(VersionStore(WORKSPACE / "versions", clock=ManualClock(), disk=disk), [Path("/skills")])


def observed(disk: ModelDisk) -> Model:
    """Read the whole state back, through a fresh store, and check that nothing else is lying about."""
    store = VersionStore(WORKSPACE / "versions", disk=disk)
    model: Model = {}
    for name, live in LIVE.items():
        versions = store.list(live.kind, live.name)
        assert [v.n for v in versions] == list(range(1, len(versions) + 1))
        for version in versions:
            assert sha256_hex(store.bytes_of(version)) == version.sha256
        places = {v.n: i for i, v in enumerate(versions)}
        stands_for: list[int] = []
        for i, v in enumerate(versions):
            stands_for.append(i if v.restored_from is None else stands_for[places[v.restored_from]])
        log = tuple((v.origin, None if v.removed else store.bytes_of(v)) for v in versions)
        model[name] = Target(disk.read(live.path), log, tuple(stands_for))
    leftovers = [p for p in disk.files() if p.suffix == ".tmp" or p.name.startswith(".pending")]
    assert leftovers == []
    return model


def bak_of(model: Model) -> State:
    log = model["one"].log
    return log[-2][1] if len(log) > 1 else None


def start() -> tuple[ModelDisk, Model]:
    disk = ModelDisk()
    disk.put(TWO.path, b"found")
    disk.make_folder(WORKSPACE)
    return disk, {"one": Target(None), "two": Target(b"found")}


@given(st.lists(operations, max_size=10))
def test_every_sequence_of_changes_leaves_exactly_the_history_of_the_model(sequence):
    disk, model = start()
    for operation in sequence:
        after = expected(model, operation)
        try:
            perform(disk, operation)
        except (Stale, Conflict, NotFound):
            assert after == model
        model = after
        assert observed(disk) == model
        if model["one"].log:
            assert disk.read(ONE.path.with_name("one.md.bak")) == bak_of(model)


@given(
    st.lists(operations, max_size=4), operations.filter(lambda o: o[0] != "edit"),
    st.integers(1, 90), st.lists(st.integers(0, 3), min_size=8, max_size=8),
    st.integers(1, 60), st.booleans(),
)  # fmt: skip
@settings(max_examples=150)
def test_a_power_cut_at_any_step_leaves_the_old_state_or_the_new_one(
    earlier, operation, step, survives, second_step, cut_twice
):
    disk, model = start()
    for one in earlier:
        after = expected(model, one)
        with suppress(Stale, Conflict, NotFound):
            perform(disk, one)
        model = after
    after = expected(model, operation)
    disk.stop_at = disk.steps + step
    finished = False
    try:
        perform(disk, operation)
        finished = True
    except (Stale, Conflict, NotFound):
        finished = True
    except PowerCut:
        pass
    numbers = iter(survives * 1000)
    disk = disk.after_power_cut(lambda count: next(numbers) % count)
    if cut_twice:  # once more, in the middle of the repair
        disk.stop_at = second_step
        with suppress(PowerCut):
            deployer_on(disk).recover()
        disk = disk.after_power_cut(lambda count: next(numbers) % count)
    deployer_on(disk).recover()
    found = observed(disk)
    assert found in ([after] if finished else [after, *half_way(model, operation)])
    if found["one"].log:
        assert disk.read(ONE.path.with_name("one.md.bak")) == bak_of(found)
    assert deployer_on(disk).recover() == ()


def test_a_deploy_of_two_files_survives_a_power_cut_at_each_of_its_steps_whatever_was_flushed():
    operation = ("deploy", ["one", "two"], b"new text", True)
    steps = 0
    for step in range(1, 200):
        for flushed in range(4):
            disk, model = start()
            disk.stop_at = disk.steps + step
            try:
                perform(disk, operation)
            except PowerCut:
                steps = step
            else:
                break
            disk = disk.after_power_cut(lambda count, flushed=flushed: flushed % count)
            deployer_on(disk).recover()
            assert observed(disk) in [expected(model, operation), *half_way(model, operation)], (step, flushed)
    assert steps > 40


def test_a_disk_error_at_any_step_takes_the_whole_deploy_back_or_lets_the_next_repair_do_it():
    operation = ("deploy", ["one", "two"], b"new text", True)
    failures = 0
    for step in range(1, 200):
        disk, model = start()
        disk.fail_at = disk.steps + step
        try:
            perform(disk, operation)
            allowed = [expected(model, operation)]
        except Unwritable:
            failures += 1
            allowed = half_way(model, operation)
        missed, disk.fail_at = disk.steps < disk.fail_at, None
        deployer_on(disk).recover()
        assert observed(disk) in allowed, step
        if missed:
            break
    assert failures > 40


def test_a_power_cut_while_a_failed_deploy_is_taken_back_is_repaired_too():
    operation = ("deploy", ["one"], b"new text", True)
    both = 0
    for step in range(1, 100):
        for later in range(1, 60):
            disk, model = start()
            perform(disk, ("deploy", ["one"], b"old text", True))
            model = expected(model, ("deploy", ["one"], b"old text", True))
            disk.fail_at = disk.steps + step
            disk.stop_at = disk.fail_at + later
            try:
                perform(disk, operation)
            except PowerCut:
                both += 1
            except Unwritable:
                break
            else:
                break
            disk = disk.after_power_cut(lambda count: count - 1)
            deployer_on(disk).recover()
            assert observed(disk) in [expected(model, operation), *half_way(model, operation)], (step, later)
    assert both > 100
