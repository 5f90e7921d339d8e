-- Problems that are known, so that each is told once and its end too. What is wrong is read off stacks, jobs and workers.

CREATE TABLE notice_problems (
    kind    TEXT NOT NULL,
    subject TEXT NOT NULL,
    version TEXT NOT NULL,
    problem TEXT NOT NULL,
    since   INTEGER NOT NULL,
    told_at INTEGER NOT NULL,
    gone_at INTEGER NOT NULL,
    PRIMARY KEY (kind, subject)
) STRICT;
CREATE INDEX deployments_concluded ON deployments (stack_id, id) WHERE state IN ('succeeded', 'failed', 'rolled_back', 'lost');
