-- What came of what was done, and indexes by who did it and by what was done. When an API key was used, and from where.
ALTER TABLE audit_events ADD COLUMN result TEXT NOT NULL DEFAULT 'done';
CREATE INDEX audit_events_actor ON audit_events (actor_id, id);
CREATE INDEX audit_events_name ON audit_events (actor_name, id);
CREATE INDEX audit_events_action ON audit_events (action, id);
CREATE INDEX audit_events_bad ON audit_events (result, id) WHERE result <> 'done';

ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE api_keys ADD COLUMN last_used_from TEXT NOT NULL DEFAULT '';
