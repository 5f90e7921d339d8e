-- What of a repository is deployed besides a branch, where that was found, and what happened at the Git host.

ALTER TABLE repositories ADD COLUMN tag TEXT NOT NULL DEFAULT '';
ALTER TABLE repositories ADD COLUMN semver TEXT NOT NULL DEFAULT '';
ALTER TABLE repositories ADD COLUMN ref TEXT NOT NULL DEFAULT '';
ALTER TABLE repositories ADD COLUMN moved_to TEXT NOT NULL DEFAULT '';

CREATE TABLE repository_events (
    id            TEXT PRIMARY KEY,
    repository_id TEXT NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    at            INTEGER NOT NULL,
    kind          TEXT NOT NULL,
    text          TEXT NOT NULL,
    commit_hash   TEXT NOT NULL,
    ref           TEXT NOT NULL
) STRICT;
CREATE INDEX repository_events_repository ON repository_events (repository_id, id);
