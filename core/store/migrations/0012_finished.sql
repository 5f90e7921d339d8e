-- Pages draw what became of deployments over time: when they ended, how, and how long they took. What
-- is open is not in it, and no statement that names a state alone is run by it.

CREATE INDEX deployments_finished ON deployments(state, finished_at, queued_at) WHERE state NOT IN ('queued', 'running');
