-- Jobs that are followed, what each of their times led to, and runs with their logs. A row in job_fires is
-- the proof that a time fired once. overrides of a run is an envelope of core/seal; given are their names.
-- Logs can be long: those of runs that are gone are named in job_logs_left, and go in steps.

CREATE TABLE jobs (
    id              TEXT PRIMARY KEY,
    name            TEXT NOT NULL UNIQUE,
    repository_id   TEXT NOT NULL REFERENCES repositories(id),
    path            TEXT NOT NULL,
    group_name      TEXT NOT NULL,
    paused          INTEGER NOT NULL,
    commit_hash     TEXT NOT NULL,
    definition      TEXT NOT NULL,
    configs         TEXT NOT NULL,
    seen_commit     TEXT NOT NULL,
    seen_tree       TEXT NOT NULL,
    error_code      TEXT NOT NULL,
    error           TEXT NOT NULL,
    next_at         INTEGER NOT NULL,
    fired_at        INTEGER NOT NULL,
    last_success_at INTEGER NOT NULL,
    last_state      TEXT NOT NULL,
    last_took       INTEGER NOT NULL,
    missed          INTEGER NOT NULL,
    missed_at       INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    UNIQUE (repository_id, path)
) STRICT;
CREATE INDEX jobs_due ON jobs(next_at, id) WHERE next_at > 0 AND paused = 0;

CREATE TABLE job_fires (
    job_id       TEXT NOT NULL REFERENCES jobs(id) ON DELETE CASCADE,
    scheduled_at INTEGER NOT NULL,
    fired_at     INTEGER NOT NULL,
    PRIMARY KEY (job_id, scheduled_at)
) STRICT, WITHOUT ROWID;

CREATE TABLE job_runs (
    id            TEXT PRIMARY KEY,
    job_id        TEXT NOT NULL REFERENCES jobs(id) ON DELETE CASCADE,
    fire_id       TEXT NOT NULL,
    state         TEXT NOT NULL,
    trigger       TEXT NOT NULL,
    actor         TEXT NOT NULL,
    scheduled_at  INTEGER NOT NULL,
    commit_hash   TEXT NOT NULL,
    worker_id     TEXT NOT NULL,
    command_id    TEXT NOT NULL,
    retry_of      TEXT NOT NULL,
    attempt       INTEGER NOT NULL,
    not_before    INTEGER NOT NULL,
    exit_code     INTEGER,
    error_code    TEXT NOT NULL,
    error         TEXT NOT NULL,
    cancelling    INTEGER NOT NULL,
    cancelled_by  TEXT NOT NULL,
    queued_at     INTEGER NOT NULL,
    started_at    INTEGER NOT NULL,
    finished_at   INTEGER NOT NULL,
    definition    TEXT NOT NULL,
    configs       TEXT NOT NULL,
    given         TEXT NOT NULL,
    overrides     BLOB,
    heard_attempt INTEGER NOT NULL DEFAULT 0,
    heard_event   INTEGER NOT NULL DEFAULT 0,
    heard_log_to  TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX job_runs_job ON job_runs(job_id, id);
CREATE INDEX job_runs_ended ON job_runs(state, id) WHERE state NOT IN ('queued', 'running');
CREATE INDEX job_runs_open ON job_runs(job_id, id) WHERE state IN ('queued', 'running');
CREATE INDEX job_runs_worker ON job_runs(worker_id) WHERE state IN ('queued', 'running');
CREATE INDEX job_runs_waiting ON job_runs(not_before, job_id, id) WHERE state = 'queued' AND command_id = '';
CREATE INDEX job_runs_cancelling ON job_runs(id) WHERE cancelling = 1 AND state IN ('queued', 'running');

CREATE TABLE job_run_log (
    run_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    text   TEXT NOT NULL,
    PRIMARY KEY (run_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE job_logs_left (
    run_id TEXT PRIMARY KEY
) STRICT;

ALTER TABLE commands ADD COLUMN run_id TEXT NOT NULL DEFAULT '';
