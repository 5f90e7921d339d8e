-- Who somebody is at an OpenID Connect provider. made: the account came to be by the provider's word, which says its role too.
CREATE TABLE oidc_identities (
    issuer     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    user_id    TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
    made       INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (issuer, subject),
    UNIQUE (user_id, issuer)
) STRICT;
