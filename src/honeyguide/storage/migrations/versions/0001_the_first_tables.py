"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

INTEGER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "attempts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uuid", sa.Text(), nullable=False),
        sa.Column("target_kind", sa.Text(), nullable=False),
        sa.Column("target_name", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("run_status", sa.Text(), nullable=True),
        sa.Column("shown_state", sa.Text(), nullable=False),
        sa.Column("started_at", sa.Text(), nullable=False),
        sa.Column("finished_at", sa.Text(), nullable=True),
        sa.Column("heartbeat_at", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), server_default="", nullable=False),
        sa.Column("seed", INTEGER, nullable=True),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("phase", sa.Text(), nullable=True),
        sa.Column("progress", sa.JSON(), nullable=False),
        sa.Column("finding", sa.Text(), nullable=True),
        sa.Column("delta", sa.Double(), nullable=True),
        sa.Column("interval_low", sa.Double(), nullable=True),
        sa.Column("interval_high", sa.Double(), nullable=True),
        sa.Column("gate_verdict", sa.Text(), nullable=True),
        sa.Column("failed_gate", sa.Text(), nullable=True),
        sa.Column("needs_note", sa.Boolean(), server_default=sa.text("0"), nullable=False),
        sa.Column("can_accept", sa.Boolean(), server_default=sa.text("1"), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("baseline_sha256", sa.Text(), nullable=True),
        sa.Column("dataset_hash", sa.Text(), nullable=True),
        sa.Column("calls", INTEGER, server_default=sa.text("0"), nullable=False),
        sa.Column("replayed_calls", INTEGER, server_default=sa.text("0"), nullable=False),
        sa.Column("input_tokens", INTEGER, server_default=sa.text("0"), nullable=False),
        sa.Column("output_tokens", INTEGER, server_default=sa.text("0"), nullable=False),
        sa.Column("cost_usd", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_attempts"),
        sa.UniqueConstraint("uuid", name="uq_attempts_uuid"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_attempts_shown_state", "attempts", ["shown_state", "started_at", "id"])
    op.create_index("ix_attempts_started", "attempts", ["started_at", "id"])
    op.create_index("ix_attempts_target", "attempts", ["target_kind", "target_name", "started_at", "id"])

    op.create_table(
        "cancel_requests",
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("way", sa.Text(), nullable=False),
        sa.Column("os_user", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("subject", name="pk_cancel_requests"),
    )
    op.create_table(
        "conversations",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("project", sa.Text(), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("parent", sa.Text(), nullable=True),
        sa.Column("first_at", sa.Text(), nullable=False),
        sa.Column("last_at", sa.Text(), nullable=False),
        sa.Column("archived_at", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("key", name="pk_conversations"),
    )
    op.create_index("ix_conversations_first_at", "conversations", ["first_at"])
    op.create_index("ix_conversations_last_at", "conversations", ["last_at"])

    op.create_table(
        "datasets",
        sa.Column("dataset_hash", sa.String(length=64), nullable=False),
        sa.Column("holdout_hash", sa.String(length=64), nullable=False),
        sa.Column("target_kind", sa.Text(), nullable=True),
        sa.Column("target_name", sa.Text(), nullable=True),
        sa.Column("seed", INTEGER, nullable=False),
        sa.Column("sourced", INTEGER, server_default=sa.text("0"), nullable=False),
        sa.Column("dropped", sa.JSON(), nullable=False),
        sa.Column("removed", INTEGER, server_default=sa.text("0"), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("dataset_hash", name="pk_datasets"),
    )
    op.create_index("ix_datasets_holdout_hash", "datasets", ["holdout_hash"])
    op.create_index("ix_datasets_target", "datasets", ["target_kind", "target_name", "created_at"])

    op.create_table(
        "decisions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("subject_kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("way", sa.Text(), nullable=False),
        sa.Column("os_user", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_decisions"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_decisions_subject", "decisions", ["subject_kind", "subject", "id"])

    op.create_table(
        "events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), server_default="", nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("way", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_at", "events", ["at"])
    op.create_index("ix_events_name", "events", ["name", "id"])
    op.create_index("ix_events_subject", "events", ["subject", "id"])

    op.create_table(
        "evolution_runs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_uuid", sa.Text(), nullable=False),
        sa.Column("target_kind", sa.Text(), nullable=False),
        sa.Column("target_name", sa.Text(), nullable=True),
        sa.Column("baseline_text", sa.Text(), nullable=False),
        sa.Column("winner_text", sa.Text(), nullable=False),
        sa.Column("winner_schema_json", sa.Text(), nullable=True),
        sa.Column("delta_accuracy", sa.Double(), server_default=sa.text("0"), nullable=False),
        sa.Column("gate_verdict", sa.Text(), nullable=False),
        sa.Column("gate_reasons_json", sa.Text(), server_default="[]", nullable=False),
        sa.Column("status", sa.Text(), server_default="proposed", nullable=False),
        sa.Column("artifacts_json", sa.Text(), nullable=True),
        sa.Column("user_note", sa.Text(), nullable=True),
        sa.Column("failure_reason", sa.Text(), nullable=True),
        sa.Column(
            "created_at", sa.Text(), server_default=sa.text("(strftime('%Y-%m-%dT%H:%M:%fZ','now'))"), nullable=False
        ),
        sa.Column("decided_at", sa.Text(), nullable=True),
        sa.Column("deployed_at", sa.Text(), nullable=True),
        sa.CheckConstraint("gate_verdict IN ('pass','fail')", name="ck_evolution_runs_gate_verdict"),
        sa.CheckConstraint(
            "status IN ('proposed','accepted','rejected','deployed','failed')", name="ck_evolution_runs_status"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_evolution_runs"),
        sa.UniqueConstraint("run_uuid", name="uq_evolution_runs_run_uuid"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_evolution_runs_created", "evolution_runs", ["created_at", "id"])
    op.create_index("ix_evolution_runs_status", "evolution_runs", ["status", "created_at"])
    op.create_index("ix_evolution_runs_target", "evolution_runs", ["target_kind", "target_name", "created_at"])

    op.create_table(
        "execution_traces",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("persona_id", sa.Text(), nullable=True),
        sa.Column("workspace_id", sa.Text(), nullable=True),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("task_shape", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Text(), server_default="pending", nullable=False),
        sa.Column("trace_json", sa.Text(), server_default="{}", nullable=False),
        sa.Column("cost_usd", sa.Double(), server_default=sa.text("0"), nullable=False),
        sa.Column("duration_ms", INTEGER, server_default=sa.text("0"), nullable=False),
        sa.Column(
            "created_at", sa.Text(), server_default=sa.text("(strftime('%Y-%m-%dT%H:%M:%fZ','now'))"), nullable=False
        ),
        sa.Column("finalized_at", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "outcome IN ('success','corrected','abandoned','verified','pending')", name="ck_execution_traces_outcome"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_execution_traces"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_execution_traces_created", "execution_traces", ["created_at", "id"])
    op.create_index("ix_execution_traces_outcome", "execution_traces", ["outcome", "created_at"])
    op.create_index("ix_execution_traces_persona", "execution_traces", ["persona_id", "outcome", "created_at"])
    op.create_index("ix_execution_traces_session", "execution_traces", ["session_id", "created_at"])
    op.create_index("ix_execution_traces_workspace", "execution_traces", ["workspace_id", "created_at"])

    op.create_table(
        "forgotten_traces",
        sa.Column("key_hash", sa.String(length=64), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key_hash", name="pk_forgotten_traces"),
    )
    op.create_table(
        "imported_files",
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("size", INTEGER, nullable=False),
        sa.Column("mtime_ns", INTEGER, nullable=False),
        sa.Column("inode", INTEGER, nullable=False),
        sa.Column("head_sha256", sa.Text(), nullable=False),
        sa.Column("tail_sha256", sa.Text(), nullable=False),
        sa.Column("traces", INTEGER, server_default=sa.text("0"), nullable=False),
        sa.Column("health", sa.JSON(), nullable=False),
        sa.Column("imported_at", sa.Text(), nullable=False),
        sa.Column("summary", sa.JSON(), server_default=sa.text("'{}'"), nullable=False),
        sa.PrimaryKeyConstraint("path", name="pk_imported_files"),
    )
    op.create_table(
        "leases",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("pid", INTEGER, nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("process_start", sa.Text(), nullable=False),
        sa.Column("way", sa.Text(), nullable=False),
        sa.Column("acquired_at", sa.Text(), nullable=False),
        sa.Column("heartbeat_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_leases"),
    )
    op.create_table(
        "locks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("target_kind", sa.Text(), nullable=False),
        sa.Column("target_name", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_locks"),
        sa.UniqueConstraint("target_kind", "target_name", "sha256", name="uq_locks_target_kind_target_name_sha256"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "looks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("measurement", sa.Text(), nullable=False),
        sa.Column("number", INTEGER, nullable=False),
        sa.Column("examples", sa.JSON(), nullable=False),
        sa.Column("attempt_uuid", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_looks"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_looks_measurement", "looks", ["measurement"])

    op.create_table(
        "model_calls",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("journal", sa.Text(), nullable=False),
        sa.Column("seq", INTEGER, nullable=False),
        sa.Column("request_hash", sa.String(length=64), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("latency_ms", INTEGER, nullable=True),
        sa.Column("input_tokens", INTEGER, nullable=True),
        sa.Column("output_tokens", INTEGER, nullable=True),
        sa.Column("cache_read_tokens", INTEGER, nullable=True),
        sa.Column("cache_write_tokens", INTEGER, nullable=True),
        sa.Column("cost_usd", sa.Double(), nullable=True),
        sa.Column("cost_is_reported", sa.Boolean(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_model_calls"),
        sa.UniqueConstraint("journal", "seq", name="uq_model_calls_journal_seq"),
    )
    op.create_index("ix_model_calls_at", "model_calls", ["at"])
    op.create_index("ix_model_calls_request_hash", "model_calls", ["request_hash"])

    op.create_table(
        "prompt_texts",
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name="pk_prompt_texts"),
    )
    op.create_table(
        "settings_kv",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.Column("updated_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_settings_kv"),
    )
    op.create_table(
        "spend_blocks",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("calls", INTEGER, nullable=False),
        sa.Column("tokens", INTEGER, nullable=False),
        sa.Column("usd", sa.Double(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("pid", INTEGER, nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("process_start", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_spend_blocks"),
    )
    op.create_index("ix_spend_blocks_day", "spend_blocks", ["day"])

    op.create_table(
        "spend_days",
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("calls", INTEGER, server_default=sa.text("0"), nullable=False),
        sa.Column("tokens", INTEGER, server_default=sa.text("0"), nullable=False),
        sa.Column("usd", sa.Double(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("day", name="pk_spend_days"),
    )
    op.create_table(
        "targets",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("span", sa.JSON(), nullable=False),
        sa.Column("encoding", sa.Text(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("added_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_targets"),
        sa.UniqueConstraint("kind", "name", name="uq_targets_kind_name"),
    )
    op.create_table(
        "versions",
        sa.Column("target_kind", sa.Text(), nullable=False),
        sa.Column("target_name", sa.Text(), nullable=False),
        sa.Column("n", INTEGER, nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("run_uuid", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("target_kind", "target_name", "n", name="pk_versions"),
    )
    op.create_index("ix_versions_run_uuid", "versions", ["run_uuid"])
    op.create_index("ix_versions_sha256", "versions", ["sha256"])

    op.create_table(
        "candidates",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("attempt_uuid", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("candidate_id", sa.Text(), nullable=False),
        sa.Column("parent_id", sa.Text(), nullable=True),
        sa.Column("strategy", sa.Text(), nullable=True),
        sa.Column("generation", INTEGER, server_default=sa.text("0"), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("schema", sa.JSON(), nullable=True),
        sa.Column("scores", sa.JSON(), nullable=False),
        sa.Column("complexity", sa.Double(), nullable=True),
        sa.Column("on_front", sa.Boolean(), server_default=sa.text("0"), nullable=False),
        sa.Column("is_finalist", sa.Boolean(), server_default=sa.text("0"), nullable=False),
        sa.Column("gate_results", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["attempt_uuid"], ["attempts.uuid"], name="fk_candidates_attempt_uuid", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_candidates"),
        sa.UniqueConstraint(
            "attempt_uuid", "stage", "candidate_id", name="uq_candidates_attempt_uuid_stage_candidate_id"
        ),
    )
    op.create_table(
        "corrections",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("trace_id", sa.Integer(), nullable=False),
        sa.Column("detector", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("span_start", INTEGER, nullable=False),
        sa.Column("span_end", INTEGER, nullable=False),
        sa.Column("span_text", sa.Text(), nullable=False),
        sa.Column("context", sa.Text(), server_default="", nullable=False),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("suggestion", sa.Text(), server_default="", nullable=False),
        sa.Column("replacement", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), server_default="suggested", nullable=False),
        sa.Column("edit_text", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("decided_at", sa.Text(), nullable=True),
        sa.CheckConstraint("state IN ('suggested','confirmed','dismissed')", name="ck_corrections_state"),
        sa.ForeignKeyConstraint(
            ["trace_id"], ["execution_traces.id"], name="fk_corrections_trace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_corrections"),
        sa.UniqueConstraint(
            "trace_id",
            "detector",
            "place",
            "span_start",
            "span_end",
            name="uq_corrections_trace_id_detector_place_span_start_span_end",
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_corrections_detector", "corrections", ["detector", "state"])
    op.create_index("ix_corrections_state", "corrections", ["state", "created_at", "id"])
    op.create_index("ix_corrections_trace_id", "corrections", ["trace_id"])

    op.create_table(
        "evaluations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("attempt_uuid", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("candidate_id", sa.Text(), nullable=False),
        sa.Column("example_id", sa.Text(), nullable=False),
        sa.Column("repetition", INTEGER, server_default=sa.text("0"), nullable=False),
        sa.Column("actual", sa.Text(), nullable=False),
        sa.Column("overall", sa.Double(), nullable=True),
        sa.Column("weighted", sa.Double(), nullable=True),
        sa.Column("correctness", sa.Double(), nullable=True),
        sa.Column("procedure", sa.Double(), nullable=True),
        sa.Column("conciseness", sa.Double(), nullable=True),
        sa.Column("length_penalty", sa.Double(), nullable=True),
        sa.Column("feedback", sa.Text(), server_default="", nullable=False),
        sa.Column("unscored_reason", sa.Text(), server_default="", nullable=False),
        sa.Column("raw", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(
            ["attempt_uuid"], ["attempts.uuid"], name="fk_evaluations_attempt_uuid", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_evaluations"),
        sa.UniqueConstraint(
            "attempt_uuid",
            "stage",
            "candidate_id",
            "example_id",
            "repetition",
            name="uq_evaluations_attempt_uuid_stage_candidate_id_example_id_repetition",
        ),
    )
    op.create_index("ix_evaluations_example_id", "evaluations", ["example_id"])

    op.create_table(
        "examples",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dataset_hash", sa.String(length=64), nullable=False),
        sa.Column("split", sa.Text(), nullable=False),
        sa.Column("position", INTEGER, nullable=False),
        sa.Column("example_id", sa.Text(), nullable=False),
        sa.Column("trace_id", INTEGER, nullable=True),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("input", sa.Text(), nullable=False),
        sa.Column("expected", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("rejected", sa.Text(), nullable=True),
        sa.Column("checks", sa.JSON(), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.CheckConstraint("split IN ('train','validation','holdout')", name="ck_examples_split"),
        sa.ForeignKeyConstraint(
            ["dataset_hash"], ["datasets.dataset_hash"], name="fk_examples_dataset_hash", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_examples"),
        sa.UniqueConstraint("dataset_hash", "split", "position", name="uq_examples_dataset_hash_split_position"),
    )
    op.create_index("ix_examples_example_id", "examples", ["example_id"])
    op.create_index("ix_examples_trace_id", "examples", ["trace_id"])

    op.create_table(
        "feedback",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("target_kind", sa.Text(), nullable=False),
        sa.Column("target_name", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), server_default="open", nullable=False),
        sa.Column("expected", sa.Text(), nullable=True),
        sa.Column("actual", sa.Text(), nullable=True),
        sa.Column("trace_id", sa.Integer(), nullable=True),
        sa.Column("run_uuid", sa.Text(), nullable=True),
        sa.Column("case_id", sa.Text(), nullable=True),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.Text(), nullable=False),
        sa.CheckConstraint("state IN ('open','targeted','resolved','dismissed')", name="ck_feedback_state"),
        sa.ForeignKeyConstraint(
            ["trace_id"], ["execution_traces.id"], name="fk_feedback_trace_id", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_feedback"),
    )
    op.create_index("ix_feedback_state", "feedback", ["state", "created_at"])
    op.create_index("ix_feedback_target", "feedback", ["target_kind", "target_name", "state"])
    op.create_index("ix_feedback_trace_id", "feedback", ["trace_id"])

    op.create_table(
        "prompts_in_force",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("trace_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=True),
        sa.Column("exact", sa.Boolean(), server_default=sa.text("0"), nullable=False),
        sa.ForeignKeyConstraint(
            ["trace_id"], ["execution_traces.id"], name="fk_prompts_in_force_trace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_prompts_in_force"),
    )
    op.create_index("ix_prompts_in_force_sha256", "prompts_in_force", ["sha256"])
    op.create_index("ix_prompts_in_force_trace_id", "prompts_in_force", ["trace_id"])

    op.create_table(
        "trace_facts",
        sa.Column("trace_id", sa.Integer(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("source_key", sa.Text(), nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("turn", INTEGER, server_default=sa.text("0"), nullable=False),
        sa.Column("project", sa.Text(), nullable=True),
        sa.Column("outcome_detail", sa.Text(), nullable=True),
        sa.Column("outcome_evidence", sa.Text(), server_default="", nullable=False),
        sa.Column("never_send", sa.Boolean(), server_default=sa.text("0"), nullable=False),
        sa.Column("cost_known", sa.Boolean(), server_default=sa.text("0"), nullable=False),
        sa.Column("duration_known", sa.Boolean(), server_default=sa.text("0"), nullable=False),
        sa.Column("preview", sa.Text(), server_default="", nullable=False),
        sa.Column("tool_calls", INTEGER, server_default=sa.text("0"), nullable=False),
        sa.Column("content_hash", sa.Text(), server_default="", nullable=False),
        sa.Column("completeness", INTEGER, server_default=sa.text("0"), nullable=False),
        sa.ForeignKeyConstraint(
            ["trace_id"], ["execution_traces.id"], name="fk_trace_facts_trace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("trace_id", name="pk_trace_facts"),
        sa.UniqueConstraint("source", "source_key", name="uq_trace_facts_source_source_key"),
    )
    op.create_index("ix_trace_facts_conversation", "trace_facts", ["conversation", "turn"])
    op.create_index("ix_trace_facts_project", "trace_facts", ["project"])

    op.create_table(
        "trace_targets",
        sa.Column("trace_id", sa.Integer(), nullable=False),
        sa.Column("target_kind", sa.Text(), nullable=False),
        sa.Column("target_name", sa.Text(), nullable=False),
        sa.Column("how", sa.Text(), nullable=False),
        sa.Column("exact", sa.Boolean(), server_default=sa.text("0"), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["trace_id"], ["execution_traces.id"], name="fk_trace_targets_trace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("trace_id", "target_kind", "target_name", name="pk_trace_targets"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_trace_targets_target", "trace_targets", ["target_kind", "target_name", "created_at", "trace_id"]
    )

    op.create_table(
        "verifications",
        sa.Column("attempt_uuid", sa.Text(), nullable=False),
        sa.Column("candidate_id", sa.Text(), nullable=False),
        sa.Column("holdout_hash", sa.String(length=64), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("n", INTEGER, nullable=False),
        sa.Column("repeats", INTEGER, nullable=False),
        sa.Column("baseline", sa.Double(), nullable=True),
        sa.Column("candidate", sa.Double(), nullable=True),
        sa.Column("delta", sa.Double(), nullable=True),
        sa.Column("interval_low", sa.Double(), nullable=True),
        sa.Column("interval_high", sa.Double(), nullable=True),
        sa.Column("confidence", sa.Double(), nullable=True),
        sa.Column("p_value", sa.Double(), nullable=True),
        sa.Column("noise_floor", sa.Double(), nullable=True),
        sa.Column("unscored", INTEGER, server_default=sa.text("0"), nullable=False),
        sa.Column("wins", INTEGER, server_default=sa.text("0"), nullable=False),
        sa.Column("ties", INTEGER, server_default=sa.text("0"), nullable=False),
        sa.Column("losses", INTEGER, server_default=sa.text("0"), nullable=False),
        sa.Column("receipt", sa.Text(), nullable=True),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["attempt_uuid"], ["attempts.uuid"], name="fk_verifications_attempt_uuid", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("attempt_uuid", "candidate_id", name="pk_verifications"),
    )
    op.create_index("ix_verifications_holdout_hash", "verifications", ["holdout_hash"])
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            "CREATE VIRTUAL TABLE trace_words USING fts5("
            "input, output, feedback, tools, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3')"
        )
