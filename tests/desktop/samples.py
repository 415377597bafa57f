"""Texts to look at and to compare: a usual prompt, and one with everything that could go wrong in it."""

from __future__ import annotations

from collections.abc import Sequence

from honeyguide.versions.diff import Row, compare, rows_of

BEFORE = """You are Coder, a careful pair programmer.

## How you work
- Explain the plan before you write code.
- Write code.
- Keep functions short and name them after what they do, so that a reader can follow the story from top to end.
- Ask when the request can be read in two ways.
- Never guess an interface.
- Prefer the standard library.
- Say which file you changed.
- Stop when it works.
- Thank the person.
- Use metric units.
- Name the sources of figures.
- Round money to cents.
- Quote errors word for word.
- Keep old comments.
- Give one example at most.
- Leave tests as they are unless they are wrong.

## Tone
Be friendly and use many words so that nobody feels left alone. Be polite.

## Limits
Do not run commands that delete files.
"""
AFTER = (
    BEFORE.replace("- Write code.\n", "- Write code and a test that fails without it.\n")
    .replace("- Thank the person.\n", "")
    .replace("use many words so that nobody feels left alone", "brief")
    .replace("Do not run", "Never run")
    .replace("## Limits\n", "## Limits\n- Do not touch files outside of the repository.\n")
)
HOSTILE = """<b>not bold</b> & <script>alert(1)</script> {{name}} <img src=x onerror=alert(1)>
مرحبا بكم في هذا النص الطويل الذي يكتب من اليمين إلى اليسار ويجب أن يلتف على عدة أسطر عند الحاجة
שלום עולם with English inside and 123 numbers
👩‍👩‍👧‍👦 family and 🏴‍☠️ flag, 👍🏽 thumbs, é combining e\u0301 here
control \x00\x01\x1b[31mred\x1b[0m bell\x07 del\x7f lone \ud83d surrogate
tro\u202ejan\u202c source \u2066isolate\u2069 zero\u200bwidth soft\u00adhyphen \U000e0041\U000e0042
tab\tseparated\tvalues   and   spaces
line\u2028sep and \x0b vt
CRLF line\r
last"""
HOSTILE_AFTER = (
    HOSTILE.replace("not bold", "still <i>not</i> bold")
    .replace("الطويل", "القصير")
    .replace("English", "German")
    .replace("thumbs", "thumbs up 👍🏿")
    .replace("bell", "Bell")
    .replace("zero", "nil")
    .replace("tab\t", "TAB\t")
    .replace("sep and", "sep or")
    .replace("CRLF line\r", "CRLF line")
    .replace("last", "last\n")
)


def diff_rows(before: str, after: str) -> Sequence[Row]:
    """Compare two texts as the workspace does."""
    return rows_of(compare(before, after))
