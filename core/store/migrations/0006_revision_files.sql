-- What revisions are made of, when it is kept in the database instead of a folder: every hub and
-- every handler on the database can read it. A file is in parts of bounded size; part 0 is always there.

CREATE TABLE revision_files (
    name      TEXT NOT NULL,
    part      INTEGER NOT NULL,
    content   BLOB NOT NULL,
    stored_at INTEGER NOT NULL,
    PRIMARY KEY (name, part)
) STRICT, WITHOUT ROWID;
