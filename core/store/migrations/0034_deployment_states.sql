-- Deployments of all stacks are listed by how they ended, newest first.
CREATE INDEX deployments_by_state ON deployments (state, id) WHERE state NOT IN ('queued', 'running');
