-- What deployments gave to containers of secret values, as keyed fingerprints by name, so that a value
-- that is newer at its provider is noticed.

ALTER TABLE commands ADD COLUMN delivered TEXT NOT NULL DEFAULT '';

CREATE TABLE delivered (
    stack_id TEXT PRIMARY KEY REFERENCES stacks (id) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    prints   TEXT NOT NULL,
    rotation TEXT NOT NULL
) STRICT;
