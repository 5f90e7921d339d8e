-- Stacks are listed with those first that need somebody: the order of the column need in stacks_list.go, in the same words.
CREATE INDEX stacks_need ON stacks ((CASE WHEN deleting = 1 THEN 4 WHEN status = 'error' THEN 0 WHEN status = 'degraded' THEN 1 WHEN status IN ('pending', 'syncing') THEN 4
	WHEN drifted = 1 OR quarantine <> '{}' THEN 2 WHEN status = 'new' OR (out_of_sync = 1 AND status <> 'paused') THEN 3 ELSE 5 END), name);
