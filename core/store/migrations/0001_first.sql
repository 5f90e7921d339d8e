-- The first schema: people, keys, workers, repositories, stacks, deployments, commands, variables.
-- Written for SQLite (STRICT); another dialect rewrites the type words. Times are microseconds
-- since 1970 UTC, 0 for none. Lists and small records are JSON text. A column named sealed
-- holds an envelope of core/seal bound to its table, row and column, and nothing else.

CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE key_ring (
    number     INTEGER PRIMARY KEY,
    wrapped    BLOB NOT NULL,
    active     INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE sealed_settings (
    name   TEXT PRIMARY KEY,
    public TEXT NOT NULL,
    sealed BLOB NOT NULL
) STRICT;

CREATE TABLE users (
    id         TEXT PRIMARY KEY,
    email      TEXT NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    role       TEXT NOT NULL,
    password   TEXT NOT NULL,
    disabled   INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
    id         TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
    mac        BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_user ON sessions(user_id);
CREATE INDEX sessions_expiry ON sessions(expires_at);

CREATE TABLE service_accounts (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    role       TEXT NOT NULL,
    disabled   INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE api_keys (
    id         TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES service_accounts(id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    mac        BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX api_keys_account ON api_keys(account_id);

CREATE TABLE audit_events (
    id         TEXT PRIMARY KEY,
    at         INTEGER NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id   TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    address    TEXT NOT NULL,
    action     TEXT NOT NULL,
    resource   TEXT NOT NULL,
    detail     TEXT NOT NULL
) STRICT;
CREATE INDEX audit_events_resource ON audit_events(resource, id);
CREATE INDEX audit_events_at ON audit_events(at);

CREATE TABLE worker_tokens (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    mac        BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    worker_id  TEXT NOT NULL,
    revoked    INTEGER NOT NULL
) STRICT;

CREATE TABLE workers (
    id           TEXT PRIMARY KEY,
    token_id     TEXT NOT NULL UNIQUE REFERENCES worker_tokens(id),
    key          BLOB NOT NULL,
    hostname     TEXT NOT NULL,
    tags         TEXT NOT NULL,
    version      TEXT NOT NULL,
    os           TEXT NOT NULL,
    arch         TEXT NOT NULL,
    epoch        INTEGER NOT NULL,
    revoked      INTEGER NOT NULL,
    connected_at INTEGER NOT NULL,
    left_at      INTEGER NOT NULL,
    created_at   INTEGER NOT NULL
) STRICT;

CREATE TABLE credentials (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    type       TEXT NOT NULL,
    host       TEXT NOT NULL,
    username   TEXT NOT NULL,
    sealed     BLOB NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE repositories (
    id            TEXT PRIMARY KEY,
    name          TEXT NOT NULL UNIQUE,
    url           TEXT NOT NULL,
    branch        TEXT NOT NULL,
    credential_id TEXT REFERENCES credentials(id),
    head          TEXT NOT NULL,
    fetched_at    INTEGER NOT NULL,
    error_code    TEXT NOT NULL,
    error         TEXT NOT NULL,
    asked_at      INTEGER NOT NULL,
    asked_by      TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX repositories_asked ON repositories(asked_at) WHERE asked_at > 0;

CREATE TABLE stacks (
    id            TEXT PRIMARY KEY,
    name          TEXT NOT NULL UNIQUE,
    repository_id TEXT NOT NULL REFERENCES repositories(id),
    path          TEXT NOT NULL,
    worker_id     TEXT REFERENCES workers(id),
    worker_tags   TEXT NOT NULL,
    auto_sync     INTEGER NOT NULL,
    status        TEXT NOT NULL,
    drifted       INTEGER NOT NULL,
    out_of_sync   INTEGER NOT NULL,
    seen_commit   TEXT NOT NULL,
    seen_tree     TEXT NOT NULL,
    deployed_tree TEXT NOT NULL,
    retries       INTEGER NOT NULL,
    retry_at      INTEGER NOT NULL,
    revision      INTEGER NOT NULL,
    commit_hash   TEXT NOT NULL,
    error         TEXT NOT NULL,
    containers    TEXT NOT NULL,
    observed_at   INTEGER NOT NULL,
    deleting      INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX stacks_repository ON stacks(repository_id);
CREATE INDEX stacks_worker ON stacks(worker_id);
CREATE INDEX stacks_retry ON stacks(retry_at) WHERE retry_at > 0;

CREATE TABLE revisions (
    stack_id    TEXT NOT NULL REFERENCES stacks(id) ON DELETE CASCADE,
    number      INTEGER NOT NULL,
    commit_hash TEXT NOT NULL,
    digest      TEXT NOT NULL,
    manifest    TEXT NOT NULL,
    services    TEXT NOT NULL,
    content     TEXT NOT NULL,
    variables   TEXT NOT NULL,
    watch       TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (stack_id, number),
    UNIQUE (stack_id, digest)
) STRICT;

CREATE TABLE deployments (
    id          TEXT PRIMARY KEY,
    stack_id    TEXT NOT NULL REFERENCES stacks(id) ON DELETE CASCADE,
    state       TEXT NOT NULL,
    trigger     TEXT NOT NULL,
    actor       TEXT NOT NULL,
    commit_hash TEXT NOT NULL,
    revision    INTEGER NOT NULL,
    worker_id   TEXT NOT NULL,
    options     TEXT NOT NULL,
    phases      TEXT NOT NULL,
    error_code  TEXT NOT NULL,
    error       TEXT NOT NULL,
    tree        TEXT NOT NULL,
    cancelling  INTEGER NOT NULL,
    queued_at   INTEGER NOT NULL,
    started_at  INTEGER NOT NULL,
    finished_at INTEGER NOT NULL
) STRICT;
CREATE INDEX deployments_stack ON deployments(stack_id, id);
CREATE INDEX deployments_open ON deployments(id) WHERE state IN ('queued', 'running');
CREATE UNIQUE INDEX deployments_queued ON deployments(stack_id) WHERE state = 'queued';
CREATE UNIQUE INDEX deployments_running ON deployments(stack_id) WHERE state = 'running';

CREATE TABLE deployment_log (
    deployment_id TEXT NOT NULL REFERENCES deployments(id) ON DELETE CASCADE,
    number        INTEGER NOT NULL,
    at            INTEGER NOT NULL,
    text          TEXT NOT NULL,
    PRIMARY KEY (deployment_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE decisions (
    id            TEXT PRIMARY KEY,
    stack_id      TEXT NOT NULL REFERENCES stacks(id) ON DELETE CASCADE,
    at            INTEGER NOT NULL,
    trigger       TEXT NOT NULL,
    commit_hash   TEXT NOT NULL,
    deployed      INTEGER NOT NULL,
    reason        TEXT NOT NULL,
    deployment_id TEXT NOT NULL
) STRICT;
CREATE INDEX decisions_stack ON decisions(stack_id, id);

CREATE TABLE commands (
    id            TEXT PRIMARY KEY,
    attempt       INTEGER NOT NULL,
    worker_id     TEXT NOT NULL,
    kind          TEXT NOT NULL,
    stack_id      TEXT NOT NULL,
    deployment_id TEXT NOT NULL,
    state         TEXT NOT NULL,
    epoch         INTEGER NOT NULL,
    body          TEXT NOT NULL,
    deadline_at   INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    ended_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX commands_open ON commands(worker_id, id) WHERE ended_at = 0;
CREATE INDEX commands_deployment ON commands(deployment_id);
CREATE INDEX commands_ended ON commands(ended_at) WHERE ended_at > 0;

CREATE TABLE variables (
    id         TEXT PRIMARY KEY,
    scope      TEXT NOT NULL,
    scope_id   TEXT NOT NULL,
    name       TEXT NOT NULL,
    secret     INTEGER NOT NULL,
    provider   TEXT NOT NULL,
    value      TEXT NOT NULL,
    reference  TEXT NOT NULL,
    sealed     BLOB,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (scope, scope_id, name)
) STRICT;

CREATE TABLE variable_bindings (
    variable_id TEXT NOT NULL REFERENCES variables(id) ON DELETE CASCADE,
    scope       TEXT NOT NULL,
    scope_id    TEXT NOT NULL,
    PRIMARY KEY (scope, scope_id, variable_id)
) STRICT, WITHOUT ROWID;
