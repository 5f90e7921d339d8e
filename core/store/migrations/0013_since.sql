-- Since when a stack is not what its repository says, and when a deployment of it last succeeded: alerts
-- and pages ask for both. Of a stack that is out of sync now it is known when its row was last changed.

ALTER TABLE stacks ADD COLUMN out_of_sync_since INTEGER NOT NULL DEFAULT 0;
ALTER TABLE stacks ADD COLUMN deployed_at INTEGER NOT NULL DEFAULT 0;
UPDATE stacks SET deployed_at = coalesce((SELECT max(d.finished_at) FROM deployments d WHERE d.stack_id = stacks.id AND d.state = 'succeeded'), 0);
UPDATE stacks SET out_of_sync_since = updated_at WHERE out_of_sync = 1;
