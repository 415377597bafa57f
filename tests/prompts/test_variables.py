from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.prompts.variables import Dialect, compare, find, names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("For {{company}} and {{ company }}", ["{{company}}"]),
        (
            "Hi {customer_name}, {user.name} {items[0]} {total:.2f} {x!r}",
            ["{customer_name}", "{user.name}", "{items[0]}", "{total}", "{x}"],
        ),
        ("Do $ARGUMENTS with $1 and $2", ["$ARGUMENTS", "$1", "$2"]),
        ("Only ${file} and ${input:name}", ["${file}", "${input:name}"]),
        ('Reply as JSON like {"area": "billing", "ok": true}.', []),
        ("An empty {} and a set {1, 2} and {a, b}", []),
        ("It costs $5 or $1,000 or $100", []),
        ("Escaped \\{{x}} and \\$ARGUMENTS", []),
        ("LaTeX \\frac{a}{b} is no slot", []),
        ("Gemini !{git log} and @{file.md} run, {{args}} is filled", ["{{args}}"]),
        ("{{#if done}}{{name}}{{/if}}", ["{{done}}", "{{name}}"]),
        ("{% for item in items %}{{ item.name }}{% endfor %}", ["{{items}}"]),
        ("{{ user | upper }}", ["{{user}}"]),
    ],
)
def test_any_dialect_finds_every_spelling_and_no_json(text, expected):
    assert list(names(text)) == expected


def test_places_point_into_the_text():
    text = "a {{ b }} {c}"
    assert [text[v.start : v.end] for v in find(text)] == ["{{ b }}", "{c}"]


@pytest.mark.parametrize(
    ("dialect", "text", "expected"),
    [
        (Dialect.COMMAND, "Costs $5", ["$5"]),
        (Dialect.FORMAT, "{{literal}} {x} {{{y}}}", ["{x}", "{y}"]),
        (Dialect.SHELL, "{x} {{y}} $3 ${z}", ["$3", "${z}"]),
        (Dialect.DOUBLE_BRACES, "{x} {{y}} $1 ${z}", ["{{y}}"]),
        (Dialect.JINJA, "{% set a = b %}{{ a }} {{ c }}", ["{{b}}", "{{c}}"]),
        (
            Dialect.JINJA,
            "{% if user.age > 3 and not old %}x{% elif 'word' in tags %}{% endif %}",
            ["{{user.age}}", "{{old}}", "{{tags}}"],
        ),
        (
            Dialect.JINJA,
            "{% for k, v in pairs.items() %}{{ loop.index }}{{ k }}{{ v|default(w) }}{% endfor %}",
            ["{{pairs.items}}", "{{w}}"],
        ),
        (Dialect.JINJA, "{# {{ no }} #}{% raw %}{{ no }}{% endraw %}{{ yes }}", ["{{yes}}"]),
        (Dialect.JINJA, "{{ name is defined }} {{ range(n) }} {{ f(x=y) }}", ["{{name}}", "{{n}}", "{{f}}", "{{y}}"]),
        (Dialect.JINJA, "{% macro field(label) %}{{ label }}{% endmacro %}{{ field(q) }}", ["{{q}}"]),
        (Dialect.NUNJUCKS, "{{ topic }}{% if extra %}{{ extra }}{% endif %}", ["{{topic}}", "{{extra}}"]),
        (Dialect.HANDLEBARS, "{{#each items}}{{this}}{{@index}}{{../owner}}{{/each}}", ["{{items}}", "{{owner}}"]),
        (
            Dialect.HANDLEBARS,
            "{{#unless a}}{{else}}{{b.c}}{{/unless}}{{{raw}}}{{!-- {{no}} --}}{{> part}}",
            ["{{a}}", "{{b.c}}", "{{raw}}"],
        ),
        (
            Dialect.HANDLEBARS,
            "{{format date style=kind}}{{#list as |x|}}{{x}}{{/list}}",
            ["{{date}}", "{{kind}}", "{{list}}"],
        ),
        (
            Dialect.DOTPROMPT,
            '{{role "system"}}{{history}}{{media url=photo}}{{#if x}}{{y}}{{/if}}',
            ["{{photo}}", "{{x}}", "{{y}}"],
        ),
    ],
)
def test_each_dialect_reads_its_own_spelling(dialect, text, expected):
    assert list(names(text, dialect)) == expected


def test_dropped_invented_and_pasted_over_variables_are_named():
    before = "You help {{shop}}.\nQuestion: {{question}}\n"
    assert compare(before, "You help.\n").removed == ("{{shop}}", "{{question}}")
    assert compare(before, before + "{{history}}").added == ("{{history}}",)
    assert compare(before, "You help Blue Shop.\nQuestion: {{question}}").removed == ("{{shop}}",)
    assert compare(before, "{{question}} for {{ shop }}").is_same


def test_a_person_can_say_that_a_name_is_no_variable():
    assert compare("Use {id} in paths", "Use ids in paths", excluded={"{id}"}).is_same


@given(st.text(alphabet="{}$%#ab1 \n\"'|./!@-", max_size=80))
def test_every_text_has_the_same_variables_as_itself_in_every_dialect(text):
    for dialect in Dialect:
        assert compare(text, text, dialect).is_same
        assert all(0 <= v.start < v.end <= len(text) for v in find(text, dialect))
