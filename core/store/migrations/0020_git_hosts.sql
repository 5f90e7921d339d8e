-- Git hosts that people connect with OAuth: whose account a key is of, when its token expires, and which answers were used.
ALTER TABLE credentials ADD COLUMN account TEXT NOT NULL DEFAULT '';
ALTER TABLE credentials ADD COLUMN connected_by TEXT NOT NULL DEFAULT '';
ALTER TABLE credentials ADD COLUMN expires_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE credentials ADD COLUMN renewing_until INTEGER NOT NULL DEFAULT 0;

CREATE TABLE spent_states (
    nonce      TEXT PRIMARY KEY,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX spent_states_expiry ON spent_states (expires_at);
