-- More than one hub on one database: who is there, who holds which lease, and which hub holds the
-- link of a worker. lease_until is by the database's clock.

CREATE TABLE hubs (
    id          TEXT PRIMARY KEY,
    url         TEXT NOT NULL,
    pin         BLOB NOT NULL,
    pinned      INTEGER NOT NULL,
    version     TEXT NOT NULL,
    started_at  INTEGER NOT NULL,
    lease_until INTEGER NOT NULL
) STRICT;

CREATE TABLE leases (
    name        TEXT PRIMARY KEY,
    holder      TEXT NOT NULL,
    epoch       INTEGER NOT NULL,
    lease_until INTEGER NOT NULL
) STRICT;

ALTER TABLE workers ADD COLUMN hub_id TEXT NOT NULL DEFAULT '';
