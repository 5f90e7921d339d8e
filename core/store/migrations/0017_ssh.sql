-- Repository keys for SSH, and the host keys by which SSH hosts are known.

ALTER TABLE credentials ADD COLUMN public_key TEXT NOT NULL DEFAULT '';
ALTER TABLE credentials ADD COLUMN changed_at INTEGER NOT NULL DEFAULT 0;

CREATE TABLE ssh_hosts (
    address     TEXT PRIMARY KEY,
    keys        TEXT NOT NULL,
    accepted_at INTEGER NOT NULL,
    accepted_by TEXT NOT NULL
) STRICT;
