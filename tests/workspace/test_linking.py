"""Which target a trace speaks about: said by a person, or recognised by the text of its prompt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from honeyguide.kernel.errors import InvalidInput, NotFound
from honeyguide.workspace import RunOptions, TraceQuery, Workspace

pytestmark = pytest.mark.anyio

RULES = "You answer customers of a bicycle shop. Be friendly, keep it short, and always name the order number.\n"
TOPICS = ("opening hours", "helmets", "repairs", "gift cards", "child seats")


@pytest.fixture
async def shop(core, anyio_backend) -> Workspace:
    """An empty workspace; ``core`` closes what it holds."""
    return Workspace(core)


def prompt_file(folder: Path) -> Path:
    path = folder / "agent" / "shop.txt"
    path.parent.mkdir()
    path.write_text(RULES)
    return path


def table(folder: Path, rows: int = 5, system: str = "") -> Path:
    path = folder / "history.jsonl"
    lines = [
        {
            "question": f"What about {TOPICS[n % 5]}, order {1000 + n}?",
            "answer": f"Look at the site for {TOPICS[n % 5]}.",
            "expected": f"Order {1000 + n}: we will gladly tell you all about {TOPICS[n % 5]}.",
            **({"system_prompt": system} if system else {}),
        }
        for n in range(rows)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


async def links(workspace: Workspace, target: str) -> set[tuple[str, bool]]:
    rows = (await workspace.traces(TraceQuery(target=target))).items
    details = [await workspace.trace(row.id) for row in rows]
    return {(link.how, link.exact) for detail in details for link in detail.links if link.target.endswith(target)}


async def test_a_person_says_at_import_what_everything_speaks_about(shop, tmp_path):
    await shop.add_target(prompt_file(tmp_path), name="shop")
    await shop.import_traces([table(tmp_path)], target="shop")
    assert (await shop.traces(TraceQuery(target="shop"))).total == 5
    assert await links(shop, "shop") == {("person", True)}
    assert (await shop.traces(TraceQuery(unlinked=True))).total == 0


async def test_a_known_file_is_linked_when_it_is_imported_again_with_a_target(shop, tmp_path):
    await shop.add_target(prompt_file(tmp_path), name="shop")
    path = table(tmp_path)
    await shop.import_traces([path])
    assert (await shop.traces(TraceQuery(unlinked=True))).total == 5
    again = await shop.import_traces([path], target="shop")
    assert (again.imported, again.known) == (0, 5)
    assert (await shop.traces(TraceQuery(target="shop"))).total == 5


async def test_the_target_of_an_import_has_to_be_there(shop, tmp_path):
    with pytest.raises(NotFound, match="no target called 'shop'"):
        await shop.import_traces([table(tmp_path)], target="shop")
    assert (await shop.traces()).total == 0


async def test_some_or_all_traces_are_linked_afterwards_and_taken_away_again(shop, tmp_path):
    await shop.add_target(prompt_file(tmp_path), name="shop")
    await shop.import_traces([table(tmp_path)])
    ids = [row.id for row in (await shop.traces()).items]
    assert await shop.link_traces("shop", ids=ids[:2]) == 2
    assert await shop.link_traces("shop", ids=ids[:2]) == 0
    assert await shop.link_traces("shop", TraceQuery(unlinked=True)) == 3
    assert await shop.unlink_traces("shop", ids[:1]) == 1
    assert (await shop.traces(TraceQuery(unlinked=True))).total == 1
    with pytest.raises(InvalidInput, match="search"):
        await shop.link_traces("shop", TraceQuery(text="helmets"))


async def test_a_prompt_that_is_the_text_of_a_target_is_an_exact_link_whichever_came_first(shop, tmp_path):
    path = prompt_file(tmp_path)
    await shop.import_traces([table(tmp_path, system=RULES.strip())])
    await shop.add_target(path, name="shop")
    assert (await shop.traces(TraceQuery(target="shop"))).total == 5
    assert await links(shop, "shop") == {("text", True)}


async def test_a_prompt_that_holds_the_text_of_a_target_is_inferred(shop, tmp_path):
    await shop.add_target(prompt_file(tmp_path), name="shop")
    await shop.import_traces([table(tmp_path, system=f"Today is Monday.\n\n{RULES}\nThe shop is open.")])
    assert (await shop.traces(TraceQuery(target="shop"))).total == 5
    assert await links(shop, "shop") == {("text", False)}


async def test_a_short_text_is_not_looked_for_in_longer_prompts(shop, tmp_path):
    path = prompt_file(tmp_path)
    path.write_text("Be friendly.")
    await shop.add_target(path, name="shop")
    await shop.import_traces([table(tmp_path, system="Be friendly. Be brief. Speak of bicycles.")])
    assert (await shop.traces(TraceQuery(target="shop"))).total == 0


async def test_what_a_person_said_outlives_another_copy_from_the_source(shop, tmp_path):
    await shop.add_target(prompt_file(tmp_path), name="shop")
    path = table(tmp_path)
    await shop.import_traces([path], target="shop")
    path.write_text(path.read_text().replace("Look at the site", "Please look at our whole site"))
    await shop.import_traces([path])
    assert (await shop.traces(TraceQuery(target="shop"))).total >= 5


async def test_a_plan_says_what_history_a_target_could_have(shop, tmp_path):
    await shop.add_target(prompt_file(tmp_path), name="shop")
    await shop.import_traces([table(tmp_path, rows=40)])

    async def codes() -> list[str]:
        plan = (await shop.plan("shop", RunOptions())).to_json()
        return [reason["code"] for reason in plan["reasons"]]

    assert "unlinked-history" in await codes()
    await shop.link_traces("shop", TraceQuery(unlinked=True))
    found = await codes()
    assert "corrections-waiting" in found
    assert "unlinked-history" not in found
    assert await shop.confirm_corrections(target="shop") == (40, 0)
    assert "corrections-waiting" not in await codes()


async def test_many_corrections_are_confirmed_at_once_and_those_without_words_are_left(shop, tmp_path):
    path = tmp_path / "rated.csv"
    path.write_text(
        "question,answer,expected,rating\n"
        "What about helmets here?,Look at the site please.,All helmets may be returned within a month.,\n"
        "What about repairs here?,Look at the site please.,,1\n"
        "What about gift cards?,They are sold at the desk.,,5\n"
    )
    await shop.import_traces([path])
    with pytest.raises(InvalidInput, match="which corrections"):
        await shop.confirm_corrections()
    assert await shop.confirm_corrections(detector="score") == (0, 1)
    assert await shop.confirm_corrections(detector="correction") == (1, 0)
    assert {row.state for row in (await shop.corrections(detector="correction")).items} == {"confirmed"}


async def test_an_agent_that_answers_in_labels_has_examples_once_a_person_says_so(shop, tmp_path):
    await shop.add_target(prompt_file(tmp_path), name="shop")
    path = tmp_path / "history.jsonl"
    rows = (
        {"question": f"The bell of bike {n} came off, what is it?", "answer": "bug", "rating": 5} for n in range(40)
    )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    await shop.import_traces([path], target="shop")
    plan = await shop.plan("shop", RunOptions())
    assert "40 answers under 5 characters were left out" in str(plan.to_json()["reasons"])
    await shop.set_setting("history.least_answer", 3)
    plan = await shop.plan("shop", RunOptions())
    assert "short-answers" not in str(plan.to_json()["reasons"])
    assert sum(plan.examples.values()) + sum(plan.dropped.values()) == 40
    assert "too-short-output" not in plan.dropped


def rows_file(folder: Path, answers: dict[str, object]) -> Path:
    path = folder / "history.jsonl"
    rows = ({"question": f"The bell of bike {n} came off, what is it?", **answers} for n in range(40))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


async def test_wished_answers_are_examples_although_nobody_observed_them(shop, tmp_path):
    await shop.add_target(prompt_file(tmp_path), name="shop")
    await shop.import_traces([rows_file(tmp_path, {"expected": "That is a broken bell."})], target="shop")
    plan = await shop.plan("shop", RunOptions())
    assert sum(plan.examples.values()) + plan.dropped.get("near-duplicate", 0) == 40
    assert (await shop.traces(TraceQuery(outcome="success"))).total == 0


async def test_answers_as_expected_went_well(shop, tmp_path):
    await shop.add_target(prompt_file(tmp_path), name="shop")
    await shop.import_traces([rows_file(tmp_path, {"answer": "A bell.", "expected": "A bell. "})], target="shop")
    assert (await shop.traces(TraceQuery(outcome="success"))).total == 40


async def test_a_person_says_which_answers_were_good_and_takes_it_back(shop, tmp_path):
    await shop.add_target(prompt_file(tmp_path), name="shop")
    path = rows_file(tmp_path, {"answer": "That is a broken bell."})
    await shop.import_traces([path], target="shop")
    plan = await shop.plan("shop", RunOptions())
    assert "40 answers have no known end." in str(plan.to_json()["reasons"])
    ids = [row.id for row in (await shop.traces(TraceQuery(target="shop"))).items]
    assert sorted(await shop.confirm_traces(ids=ids[:3])) == sorted(ids[:3])
    assert len(await shop.confirm_traces(TraceQuery(target="shop"))) == 37
    assert await shop.confirm_traces(TraceQuery(target="shop")) == []
    assert "unrated-history" not in str((await shop.plan("shop", RunOptions())).to_json()["reasons"])
    await shop.import_traces([path])
    assert (await shop.traces(TraceQuery(outcome="verified"))).total == 40
    assert await shop.unconfirm_traces(ids) == 40
    assert (await shop.traces(TraceQuery(outcome="pending"))).total == 40
    assert await shop.unconfirm_traces(ids) == 0


async def test_an_answer_that_was_rated_bad_is_found_good_only_by_its_number(shop, tmp_path):
    await shop.add_target(prompt_file(tmp_path), name="shop")
    path = tmp_path / "rated.jsonl"
    rows = ({"question": f"What is bell {n} for?", "answer": "For ringing.", "rating": 1 + n % 2 * 4} for n in range(8))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    await shop.import_traces([path], target="shop")
    bad = (await shop.traces(TraceQuery(outcome="pending"))).items
    assert (len(bad), await shop.unsaid_traces()) == (4, 0)
    assert await shop.confirm_traces(TraceQuery(target="shop")) == []
    assert await shop.confirm_traces(ids=[bad[0].id]) == [bad[0].id]


async def test_a_short_text_has_little_room_and_a_setting_gives_it_more(shop, tmp_path):
    path = tmp_path / "short.txt"
    path.write_text("You answer questions about bicycles.\n")
    await shop.add_target(path, name="short")
    plan = await shop.plan("short", RunOptions())
    assert "short may grow by 7 characters only." in str(plan.to_json()["reasons"])
    await shop.set_setting("runs.max_growth", 3.0)
    assert "little-room" not in str((await shop.plan("short", RunOptions())).to_json()["reasons"])
