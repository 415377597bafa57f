"""Running a harness: policies, tools, guardrails, validators, and the journal. Its code runs in a separate process."""
