-- Commit statuses that wait to be told to Git hosts: of each deployment the newest. next_at is 0 while there is nothing to tell.

ALTER TABLE repositories ADD COLUMN statuses TEXT NOT NULL DEFAULT '';
ALTER TABLE repositories ADD COLUMN statuses_problem TEXT NOT NULL DEFAULT '';
ALTER TABLE repositories ADD COLUMN statuses_problem_at INTEGER NOT NULL DEFAULT 0;

CREATE TABLE commit_statuses (
    deployment_id TEXT PRIMARY KEY REFERENCES deployments (id) ON DELETE CASCADE,
    state         TEXT NOT NULL,
    attempts      INTEGER NOT NULL,
    next_at       INTEGER NOT NULL
) STRICT;
CREATE INDEX commit_statuses_due ON commit_statuses (next_at) WHERE next_at > 0;
