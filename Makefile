# Two commands do all set-up that they need, on Debian or Ubuntu with Go, git and make:
#   make run    build, start the server with a worker inside, deploy the demo, print the address
#   make test   set up what the tests need and run them all
.PHONY: run stop logs test test-real pages check bench build function clean

run:
	@local/make/run.sh

stop:
	@local/make/stop.sh

logs:
	@tail -n 50 -f data/local.log

test:
	@local/make/test.sh

# Kills server and worker at 2,000 system calls, of which make test tries a sample.
# Holds template.yaml against the schema of AWS SAM.
# Then holds what reads secrets from Vault against a real Vault server, what is scraped against a Prometheus of
# today, and what follows Git hosts against a real Gitea; all are built the first time.
test-real:
	@local/make/test-real.sh

# Keeps a picture of every page, wide and on a phone, light and dark, below .build/pages.
pages:
	@local/make/pages.sh

# What must be clean beside the tests: format, vet, staticcheck, known vulnerabilities.
check:
	@local/make/check.sh

bench:
	go run ./local/bench

build:
	@local/make/build.sh

# .build/function/bootstrap, which template.yaml deploys; ARCH is arm64 (default) or x86_64.
function:
	@local/make/function.sh

clean: stop
	rm -rf .build
