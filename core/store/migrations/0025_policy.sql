-- Rules that narrow what may be put on workers, for all of them (no worker_id) or for one, and what each worker says of its own host's.
CREATE TABLE policies (
    worker_id  TEXT PRIMARY KEY,
    rules      TEXT NOT NULL,
    changed_by TEXT NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

ALTER TABLE workers ADD COLUMN host_policy TEXT NOT NULL DEFAULT '{}';
