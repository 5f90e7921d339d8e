-- Second factors: a sealed secret, the last step whose code was used, and keyed codes of what replaces it once each.
CREATE TABLE second_factors (
    user_id    TEXT PRIMARY KEY REFERENCES users(id) ON DELETE CASCADE,
    sealed     BLOB NOT NULL,
    step       INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE recovery_codes (
    user_id TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
    mac     BLOB NOT NULL,
    PRIMARY KEY (user_id, mac)
) STRICT;
