-- Repositories whose folders become stacks and jobs by themselves: what is known of the folders, and which stacks and jobs have lost theirs.

ALTER TABLE repositories ADD COLUMN follow TEXT NOT NULL DEFAULT '{}';
ALTER TABLE repositories ADD COLUMN follow_begun INTEGER NOT NULL DEFAULT 0;

CREATE TABLE followed_folders (
    repository_id TEXT NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    kind          TEXT NOT NULL,
    path          TEXT NOT NULL,
    state         TEXT NOT NULL,
    problem       TEXT NOT NULL,
    since         INTEGER NOT NULL,
    PRIMARY KEY (repository_id, kind, path)
) STRICT;

CREATE TABLE folder_proposals (
    thing_id      TEXT PRIMARY KEY,
    repository_id TEXT NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    kind          TEXT NOT NULL,
    path          TEXT NOT NULL,
    moved_to      TEXT NOT NULL,
    commit_hash   TEXT NOT NULL,
    problem       TEXT NOT NULL,
    since         INTEGER NOT NULL
) STRICT;
CREATE INDEX folder_proposals_repository ON folder_proposals (repository_id, since);
