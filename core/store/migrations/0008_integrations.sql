-- Outside services that a person configured. settings is a JSON object of what everybody may read,
-- sealed holds the secret ones. version counts changes: clients are kept for one version.

CREATE TABLE integrations (
    slug       TEXT PRIMARY KEY,
    enabled    INTEGER NOT NULL,
    settings   TEXT NOT NULL,
    sealed     BLOB,
    version    INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
