-- What deployments aim at and fall back to, and what keeps stacks as they should be: restore,
-- quarantine, rollback to a revision, transfer, pause, drift and its repair. Columns named like a
-- record hold JSON text, '{}' for none.

ALTER TABLE stacks ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
ALTER TABLE stacks ADD COLUMN quarantine TEXT NOT NULL DEFAULT '{}';
ALTER TABLE stacks ADD COLUMN drift TEXT NOT NULL DEFAULT '[]';
ALTER TABLE stacks ADD COLUMN heals INTEGER NOT NULL DEFAULT 0;
ALTER TABLE stacks ADD COLUMN heal_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE stacks ADD COLUMN retry TEXT NOT NULL DEFAULT '{}';
CREATE INDEX stacks_heal ON stacks(heal_at) WHERE heal_at > 0;

ALTER TABLE revisions ADD COLUMN tree TEXT NOT NULL DEFAULT '';

ALTER TABLE deployments ADD COLUMN aim TEXT NOT NULL DEFAULT '{}';
ALTER TABLE deployments ADD COLUMN restore TEXT NOT NULL DEFAULT '{}';
ALTER TABLE deployments ADD COLUMN failed_service TEXT NOT NULL DEFAULT '';
ALTER TABLE deployments ADD COLUMN failed_lines TEXT NOT NULL DEFAULT '';
CREATE INDEX deployments_ended ON deployments(stack_id, id) WHERE state NOT IN ('queued', 'running');

ALTER TABLE workers ADD COLUMN engine TEXT NOT NULL DEFAULT '';

CREATE INDEX commands_stack ON commands(stack_id);
