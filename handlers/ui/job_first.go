package ui

// firstJob is offered where a repository holds no job yet. It says only what every job has to, and when it runs.
const firstJob = `# jobs/hello/job.yaml
name: hello
# every five minutes; without it, on demand only
cron: "*/5 * * * *"
image: alpine:3.20
command: echo Hello from Berth
resources: {cpu: 0.1, memory: 32m, timeout: 1m}
`
