-- How the hosts of workers were lately: a ring of slots for each worker. What is not known is -1.
CREATE TABLE worker_readings (
    worker_id    TEXT NOT NULL REFERENCES workers(id) ON DELETE CASCADE,
    slot         INTEGER NOT NULL,
    at           INTEGER NOT NULL,
    cpu          INTEGER NOT NULL,
    load         INTEGER NOT NULL,
    cpus         INTEGER NOT NULL,
    memory       INTEGER NOT NULL,
    memory_total INTEGER NOT NULL,
    disk         INTEGER NOT NULL,
    disk_total   INTEGER NOT NULL,
    PRIMARY KEY (worker_id, slot)
) STRICT;
CREATE INDEX worker_readings_slot ON worker_readings (slot);
