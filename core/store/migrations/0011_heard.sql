-- How far what a worker says of a deployment is stored, so that a hub which did not hear the first part
-- asks for the rest and no more. A deployment that runs now was heard by a hub that stored no numbers.

ALTER TABLE deployments ADD COLUMN heard_command TEXT NOT NULL DEFAULT '';
ALTER TABLE deployments ADD COLUMN heard_attempt INTEGER NOT NULL DEFAULT 0;
ALTER TABLE deployments ADD COLUMN heard_event INTEGER NOT NULL DEFAULT 0;
UPDATE deployments SET heard_command = 'unknown' WHERE state = 'running';
