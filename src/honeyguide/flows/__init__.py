"""Markdown flows: read, run, and changed with proof.

Reading: `document` splits a file, `places` finds its repository, configuration and id, `policy` what may happen by
itself, `imports`, `liquid` and `rendering` fill its prompt in, `capabilities` lists what it can do, `engines` run it.
Proving: `planning` and `plans` say what a proposal costs, `fingerprints` and `receipts` bind results to content,
`sides` measures a text in a copy of the repository, `maintainer` and `drafting` ask for a better one, `searching` tries
several, `proposing` does it all on a `proposal_work` whose artifacts `keeping` writes, `deciding` says what came of it.
Deciding: `applying` changes the file, or takes it back; `tidying`, `jobs`, `importing` and `after_run` are for the
rest. `desk` is what all of them are given.

Only `storage` and `workspace` stand above; nothing here knows a database or a window.
"""
