-- Which API key of a service account it was: an account has several while one follows another.
ALTER TABLE audit_events ADD COLUMN key_id TEXT NOT NULL DEFAULT '';
CREATE INDEX audit_events_key ON audit_events (key_id, id) WHERE key_id <> '';
