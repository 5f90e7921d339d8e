-- What waits to be told to the outside is stored with the change that it tells of, and carried out afterwards. sealed is
-- NULL once it has ended.

CREATE TABLE outbox (
    id         TEXT PRIMARY KEY,
    kind       TEXT NOT NULL,
    recipient  TEXT NOT NULL,
    about      TEXT NOT NULL,
    sealed     BLOB,
    state      TEXT NOT NULL,
    attempts   INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    next_at    INTEGER NOT NULL,
    give_up_at INTEGER NOT NULL,
    ended_at   INTEGER NOT NULL DEFAULT 0,
    code       TEXT NOT NULL DEFAULT '',
    answer     TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX outbox_due ON outbox (next_at) WHERE state = 'waiting';
CREATE INDEX outbox_waiting ON outbox (kind, id) WHERE state = 'waiting';
CREATE INDEX outbox_ended ON outbox (ended_at) WHERE state <> 'waiting';
CREATE INDEX outbox_shown ON outbox (kind, id);
