-- A hub that died without a word stays known for a while, so that its absence is seen. What tokens
-- of new workers must know of the port that they dial stays too, for when no hub is there.

CREATE TABLE hubs_gone (
    id         TEXT PRIMARY KEY,
    url        TEXT NOT NULL,
    version    TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    heard_at   INTEGER NOT NULL
) STRICT;

CREATE TABLE worker_port (
    name   TEXT PRIMARY KEY,
    pin    BLOB NOT NULL,
    pinned INTEGER NOT NULL
) STRICT;
