-- Whether a worker takes runs of jobs, as it says with each link: one of an older release does not, and gets none.

ALTER TABLE workers ADD COLUMN runs INTEGER NOT NULL DEFAULT 0;
