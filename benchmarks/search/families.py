"""Three more families of worlds, unlike those the search was tuned on.

They stand on the simulator's own base class, so executor, judge and reflector err as they do there:

- ``repair``: the present prompt is long and partly wrong: half the work is taking rules out or replacing them;
- ``chain``: rules help in pairs alone; one without the other does little or nothing;
- ``style``: every rule concerns every answer a little, nothing in an input says which, and the judge names two faults.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

OWN = ("repair", "chain", "style")
TOPICS = (
    "opening", "delivery", "returns", "warranty", "payment", "account", "privacy", "pricing", "stock", "repair", "gifts"
)  # fmt: skip
STEPS = ("intake", "lookup", "check", "quote", "booking", "payment", "notice")
CRITERIA = (
    "greeting", "address", "brevity", "source", "units", "next-step", "sign-off", "language", "certainty", "emphasis"
)  # fmt: skip


def own_families(sim: Any) -> dict[str, Any]:
    """Return the families by name, for ``sim.FAMILIES``."""
    lot, pick, result = sim.U, sim.pick, sim.Result

    class Rules(sim.World):  # type: ignore[misc, name-defined]
        """What the three share: lines that are known rules, and prompts that are scored point by point."""

        def is_rule(self, line: str) -> bool:
            return bool(line.lstrip().startswith("- "))

        def read(self, candidate: dict[str, str]) -> dict[str, float]:
            lines = candidate["instructions"].split("\n")
            plain = ((line.rstrip().replace(" (usually)", ""), self.clarity(line)) for line in lines)
            return {line: clarity for line, clarity in plain if line in self.known}

        def chances(self, rules: dict[str, float], attention: float, example: Any) -> dict[str, float]:
            raise NotImplementedError

        def execute(self, rules: Any, attention: float, example: Any, key: Any) -> str:
            chances = self.chances(rules, attention, example)
            return json.dumps({point: lot(*key, point) < chance for point, chance in chances.items()}, sort_keys=True)

        def expected(self, rules: Any, attention: float, example: Any) -> float:
            chances = self.chances(rules, attention, example)
            return float(sum(chances.values()) / len(chances))

        def judge(self, example: Any, out: str, length: int, key: Any) -> Any:
            points = {point: self.flip(ok, *key, point) for point, ok in json.loads(out).items()}
            score = sum(points.values()) / len(points)
            bad = [point for point, ok in points.items() if not ok]
            named = sorted(bad, key=lambda point: lot(*key, "named", point))[: self.faults]
            words = "\n".join(self.fault(point) for point in named) or "All good."
            note = self.obs(example, None, ok=not bad, bad=named)
            brief = max(0.0, 1 - length / 3000)
            grades = {"correctness": score, "procedure": score, "conciseness": brief}
            return result(out, score, grades, f"{words}\n{note}", tuple(named))

        def edit(self, lines: list[str], seen: list[Any], rejected: set[str], key: Any) -> list[str]:
            counts = Counter(point for one in seen for point in one["bad"])
            order = sorted(counts, key=lambda point: (-counts[point], lot(*key, point)))[: self.max_edits]
            lines = list(lines)
            for place, point in enumerate(order):
                if lot(*key, "spec", place) < self.noise.overspec:
                    lines.append(f"- For {seen[0]['id']}, mind the {point}.")
                else:
                    self.change(lines, point, rejected, (*key, place))
            return lines

        def add(self, lines: list[str], options: list[str], rejected: set[str], key: Any) -> None:
            fresh = [line for line in options if line not in lines and line not in rejected]
            if fresh:
                lines.append(pick(fresh, *key, "add"))

    class Repair(Rules):
        family, faults = "repair", 9
        topics = TOPICS

        def setup(self, random: Any) -> None:
            self.good = {t: f"- On {t}, quote the policy and name the next step." for t in self.topics}
            self.bad = {t: f"- On {t}, refer people to the telephone line." for t in self.topics}
            self.idle = {t: f"- On {t}, be friendly and complete." for t in self.topics}
            self.known = {*self.good.values(), *self.bad.values()}
            self.base = {t: 0.15 + 0.35 * random.random() for t in self.topics}
            order = list(self.topics)
            random.shuffle(order)
            head = "You answer customers of a shop."
            rules = [self.good[t] for t in order[:3]] + [self.bad[t] for t in order[3:8]]
            random.shuffle(rules)
            self.seed_candidate = {"instructions": "\n".join([head, *rules])}
            self.oracle = {"instructions": "\n".join([head, *(self.good[t] for t in order)])}

        def example(self, random: Any, name: str) -> Any:
            asked = random.sample(self.topics, 2)
            return {
                "id": name,
                "text": f"Mail {random.randrange(10**6):06d} on {asked[0]} and {asked[1]}",
                "asked": asked,
            }

        def chances(self, rules: dict[str, float], attention: float, example: Any) -> dict[str, float]:
            found = {}
            for topic in example["asked"]:
                chance = self.base[topic]
                for line, then in ((self.bad[topic], 0.05), (self.good[topic], 0.98)):
                    obeyed = self.noise.obey * attention * rules.get(line, 0.0)
                    if line == self.good[topic] and self.bad[topic] in rules:
                        obeyed *= 0.5
                    chance += obeyed * (then - chance)
                found[topic] = chance
            return found

        def fault(self, point: str) -> str:
            return f"What it says on {point} does not help."

        def change(self, lines: list[str], point: str, rejected: set[str], key: Any) -> None:
            at = next((i for i, line in enumerate(lines) if line == self.bad[point]), None)
            if at is not None and lot(*key, "out") < 0.6:
                lines[at : at + 1] = [self.good[point]] if lot(*key, "for") < 0.5 else []
            else:
                self.add(lines, [self.good[point], self.idle[point]], rejected, key)

    class Chain(Rules):
        family, faults = "chain", 9
        steps = STEPS

        def setup(self, random: Any) -> None:
            first = {s: [f"- Before {s}, load the {s} sheet {n}." for n in "AB"] for s in self.steps}
            fields = ("by name", "by number")
            then = {s: [f"- In {s}, fill the fields {n} from the sheet." for n in fields] for s in self.steps}
            self.pair = {s: (random.choice(first[s]), random.choice(then[s])) for s in self.steps}
            self.options = {s: first[s] + then[s] for s in self.steps}
            self.known = {line for options in self.options.values() for line in options}
            head = "Work the ticket step by step and report each step."
            self.seed_candidate = {"instructions": head}
            self.oracle = {"instructions": "\n".join([head, *(line for pair in self.pair.values() for line in pair)])}

        def example(self, random: Any, name: str) -> Any:
            steps = random.sample(self.steps, 3)
            text = f"Ticket {random.randrange(10**6):06d}: {', '.join(sorted(steps))}"
            return {"id": name, "text": text, "steps": steps}

        def chances(self, rules: dict[str, float], attention: float, example: Any) -> dict[str, float]:
            obey = self.noise.obey * attention
            found = {}
            for step in example["steps"]:
                one, two = (obey * rules.get(line, 0.0) for line in self.pair[step])
                found[step] = 0.15 + 0.2 * one * (1 - two) + 0.83 * one * two
            return found

        def fault(self, point: str) -> str:
            return f"The step {point} failed."

        def change(self, lines: list[str], point: str, rejected: set[str], key: Any) -> None:
            options = self.options[point]
            known = [line for line in self.pair[point] if line not in lines]
            self.add(lines, known if known and lot(*key, "sense") < 0.4 else options, rejected, key)

    class Style(Rules):
        family, faults = "style", 2
        soft = 1000
        criteria = CRITERIA

        def setup(self, random: Any) -> None:
            ways = ("always follow the house style", "do as the guide of this year says", "keep to what readers expect")
            self.options = {c: [f"- As to {c}, {way}." for way in ways] for c in self.criteria}
            self.right = {c: random.choice(self.options[c]) for c in self.criteria}
            self.known = set(self.right.values())
            self.base = {c: 0.15 + 0.45 * random.random() for c in self.criteria}
            head = "Write the reply."
            self.seed_candidate = {"instructions": head}
            self.oracle = {"instructions": "\n".join([head, *self.right.values()])}

        def example(self, random: Any, name: str) -> Any:
            return {"id": name, "text": f"Letter {random.randrange(10**6):06d}"}

        def chances(self, rules: dict[str, float], attention: float, example: Any) -> dict[str, float]:
            obey = self.noise.obey * attention
            return {c: b + obey * rules.get(self.right[c], 0.0) * (0.98 - b) for c, b in self.base.items()}

        def fault(self, point: str) -> str:
            return f"The {point} is not as it should be."

        def change(self, lines: list[str], point: str, rejected: set[str], key: Any) -> None:
            at = next((i for i, line in enumerate(lines) if line in self.options[point]), None)
            if at is not None and lot(*key, "swap") < 0.5:
                del lines[at]
            self.add(lines, self.options[point], rejected, key)

    return {family.family: family for family in (Repair, Chain, Style)}
