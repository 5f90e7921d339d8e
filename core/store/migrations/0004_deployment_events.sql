-- What became of each deployment, step by step: one row for each transition of its state, written
-- in the transaction that makes it. Of deployments from before there are only their later steps.

CREATE TABLE deployment_events (
    deployment_id TEXT NOT NULL REFERENCES deployments(id) ON DELETE CASCADE,
    number        INTEGER NOT NULL,
    at            INTEGER NOT NULL,
    from_state    TEXT NOT NULL,
    to_state      TEXT NOT NULL,
    cause         TEXT NOT NULL,
    actor         TEXT NOT NULL,
    PRIMARY KEY (deployment_id, number)
) STRICT, WITHOUT ROWID;
