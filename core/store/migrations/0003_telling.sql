-- What people are told of deployments and revisions: who cancelled one, what is tried again for which
-- time, and which revisions ever ran well.

ALTER TABLE deployments ADD COLUMN cancelled_by TEXT NOT NULL DEFAULT '';
ALTER TABLE deployments ADD COLUMN retry_of TEXT NOT NULL DEFAULT '';
ALTER TABLE deployments ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0;

ALTER TABLE revisions ADD COLUMN verified_at INTEGER NOT NULL DEFAULT 0;
UPDATE revisions SET verified_at = coalesce((SELECT max(d.finished_at) FROM deployments d
    WHERE d.stack_id = revisions.stack_id AND d.revision = revisions.number AND d.state = 'succeeded'), 0);
