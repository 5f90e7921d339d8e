-- Two workers may have the same host name; whoever shows one of them asks whether there is another.

CREATE INDEX workers_hostname ON workers (hostname);
