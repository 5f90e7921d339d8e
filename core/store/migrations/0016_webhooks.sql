-- Webhooks: what Git hosts prove themselves with, what they sent, and what polling makes of that.

CREATE TABLE webhook_secrets (
    id            TEXT PRIMARY KEY,
    repository_id TEXT NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    sealed        BLOB NOT NULL,
    made_at       INTEGER NOT NULL,
    made_by       TEXT NOT NULL
) STRICT;
CREATE INDEX webhook_secrets_repository ON webhook_secrets (repository_id, made_at);

CREATE TABLE webhook_deliveries (
    id            TEXT PRIMARY KEY,
    repository_id TEXT NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    provider      TEXT NOT NULL,
    host_id       TEXT NOT NULL,
    digest        TEXT NOT NULL,
    event         TEXT NOT NULL,
    ref           TEXT NOT NULL,
    commit_hash   TEXT NOT NULL,
    result        TEXT NOT NULL,
    reason        TEXT NOT NULL,
    received_at   INTEGER NOT NULL,
    replay_of     TEXT NOT NULL,
    repeats       INTEGER NOT NULL,
    repeated_at   INTEGER NOT NULL,
    looked_at     INTEGER NOT NULL,
    outcome       TEXT NOT NULL
) STRICT;
CREATE INDEX webhook_deliveries_repository ON webhook_deliveries (repository_id, id);
CREATE UNIQUE INDEX webhook_deliveries_host ON webhook_deliveries (repository_id, provider, host_id) WHERE host_id <> '';
CREATE INDEX webhook_deliveries_digest ON webhook_deliveries (repository_id, digest) WHERE digest <> '';

ALTER TABLE repositories ADD COLUMN hooked_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE repositories ADD COLUMN unannounced_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE repositories ADD COLUMN hook_refused_at INTEGER NOT NULL DEFAULT 0;
