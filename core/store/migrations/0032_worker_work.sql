-- What a worker did is listed by worker; what it has to do is found among all that is open.
CREATE INDEX deployments_of_worker ON deployments (worker_id, id) WHERE state NOT IN ('queued', 'running');
CREATE INDEX job_runs_of_worker ON job_runs (worker_id, id) WHERE state NOT IN ('queued', 'running');
