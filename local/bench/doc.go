// Command bench measures Berth as a whole on this machine and prints the figures beside
// their goals. It needs Go, Git and a Docker Engine; it pulls nothing, uses free ports
// and its own names ("bench-…"), and removes what it made.
//
//	go run ./local/bench               measure everything, about forty minutes
//	go run ./local/bench deploy idle   measure only these
//	go run ./local/bench -runs 30      more repetitions where there are any
//	go run ./local/bench -links 10000 links   as many workers on one server
//	go run ./local/bench -fleet 1,1000 fleet   one step for each number of workers
//
// The server is always the real program, built from this checkout as it is shipped and
// running in a process of its own on a database of its own. What the figures mean:
//
//   - deploy: from the request POST /stacks/{id}/sync?wait= to its answer, after a commit
//     that changes one environment value, so that the container is recreated. The
//     repository is served over HTTP by Git's own http-backend; fetch, render, dispatch
//     over the TLS port, a real Docker Engine and the wait until healthy are included.
//     Beside it, in turns, "docker compose up -d --wait" of the same rendered file with
//     the same change under another project name. Overhead is the difference of
//     the medians. Compose looks every 500 ms whether it may end; so that its
//     pauses do not flatter Berth, "docker compose up -d" without --wait, which ends once the
//     container was started, is measured too. "unchanged" is the same with nothing new
//     in the repository.
//
//   - memory: resident set (VmRSS) of each process after 20 seconds at rest, in brackets the
//     part that belongs to no file (RssAnon); sizes of the stripped programs; from the
//     start of the process local to the first 200 of /readyz, on an existing database.
//
//   - noop-sync: from POST /repositories/{id}/sync until asked_at is null again, which
//     comes after the decisions were committed. Once with a head that was seen
//     before, once with a new commit beside all stacks, which is fetched and judged
//     for each of them.
//
//   - idle: processor time of the server and its children, over a minute, with every
//     stack in sync, in percent of one core; and whether anything was committed to the
//     database meanwhile.
//
//   - backup: of a server that knows 1,000 stacks, 100,000 deployments and a million lines of their logs, from POST
//     /backups to its answer, which comes after the archive was read again, beside requests that come one after the
//     other; the same requests for as long without a backup, in turns. Then POST /backups/{name}/restore of the last, to
//     its answer and until the audit says that it was restored.
//
//   - configuration: a file of 1,000 stacks with two variables each is applied to an empty server (3,001 things, each
//     checked, audited and committed by itself), then exported, planned and applied again, which changes nothing.
//
//   - ui: of a server that knows 1,000 stacks, 1,000 workers and 100,000 deployments: from asking for a page to the end
//     of its answer, each 400 times, one after the other; then in a real Chromium on this machine the bytes of
//     the first load, the largest contentful paint, and from the answer to a change until an open page shows it.
//
//   - ui-live: 50 changes, one by one: from the request that makes each until an open page in a real Chromium on this
//     machine has painted it. The page is told by the server's stream of events.
//
//   - commands: one commit that changes every one of 100 stacks, from the wish for a look until
//     every stack shows it: fetch, decisions, render, command, TLS port, the worker's journal and
//     the database with synchronous=FULL, and the way back. Then the server is killed with
//     kill -9 while all 100 deployments are under way, and the time from its next start until all
//     have ended is measured.
//
//   - store: what is committed in a second, lines of a deployment's log, on the embedded SQLite with
//     synchronous=FULL and on a PostgreSQL with fsync on this machine over TCP, in turns: a row in each
//     commit, by one and by eight at a time, and a hundred rows in each.
//
//   - links: many workers, which keep a link and do nothing else, come back after the server was
//     restarted in order, and after kill -9: from the start of the server's process until the last
//     of them is in service. They dial from twenty addresses of this host and wait as the real worker
//     does. A handshake goes from the TCP connection to the answer 101, with TLS 1.3, both keys and
//     registration, of those that came through. The workers' part of it is done by the same processors.
//
//   - fleet: a server with 1, 100, 1,000 and 10,000 workers, which a process of its own simulates: TLS and
//     WebSocket from twenty addresses, a heartbeat every 30 seconds and with it a snapshot of 60 series, whole
//     or what changed, as the real worker sends it. Memory (VmRSS) is taken 150 seconds after all were back
//     from a restart, before the first scrape of that number; that of the same server without workers is
//     taken off, and a worker's snapshot counts as what it adds to the plain scrape. Processor time is over
//     a minute; no backup is made meanwhile. Scrapes are made in turns, over one connection each that is kept, with those of the floor: a
//     bare net/http handler, in another process, that has the same bytes in memory. Then once more beside a
//     worker that has a link and neither reads nor writes. Last, as many workers come to a bare port in another
//     process: net/http, crypto/tls and x/net/websocket as they are, which keep nothing of what comes.
//
//   - function: what a function host costs. First the adapter and its shim alone, in this process: an
//     event in, its answer out, with a handler that does nothing else, for each form of events; in turns
//     with the same request to the same handler through net/http over loopback. Then the real program on a
//     stand-in for the host's runtime API and a PostgreSQL of its own: whole invocations, the time from
//     the start of its process to its first answer, which opens the database, and its memory.
//
//   - hubs: two hubs and local on one PostgreSQL and three workers, while deployments flow: the hub that
//     leads is killed with kill -9, stands still, and is stopped in order. From then until another
//     leads, and until a deployment that was asked for after that is done; and how many of all that
//     were accepted were lost or done twice. It is the test of berth/local/hubs, three times.
//
//   - jobs: 10,000 jobs of one repository and 50 workers, which a process of its own simulates: each container has
//     ended as soon as it was started, with one line of log. First the server at rest, before and after it
//     had the jobs, none of which is due. Then a commit after which all of them are due at the same moment: how
//     many fire in a second, until all are stored, and until every run has been sent, started, ended and stored;
//     how late fires and starts are; and how many were lost or done twice, by the database and by the workers.
//
//   - secrets: a hundred references of each provider, resolved together: with a new client, which has no
//     connection and no token yet (internal: a database that was just opened), and once more with the same.
//     The backends are stand-ins on this host whose answers take two milliseconds each.
//
//   - git: 1,000 repositories of one Git host, which answers from memory in this process, polled every 10 seconds
//     by a server that does nothing else: looks in a minute, the longest pause between two looks at one, processor
//     time and memory of the server, and git processes that it started, counted by a script in the place of git.
//     From a push (the moment that the host has the commit) until a worker's engine begins the deployment, told by a
//     webhook and found by polling every 10 seconds, at random moments. A fetch of one new commit in 5,000 files by the
//     adapter that the hub uses. And first clones of a repository with 5,000 files and 2,000 commits by plain git: whole, shallow as
//     Berth fetches, and partial; bytes are those of the host's answers.
//
// In noop-sync, idle, commands and git the stacks are deployed by a real worker, inside the process of
// bench, whose container engine only remembers: what it costs is not the server's.
//
// Start reading at main, then figures in figure.go. It decides nothing about Berth, and
// nothing else may use it.
package main
