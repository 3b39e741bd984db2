# Everything runs with the Node of node_modules, whatever the machine has.
SHELL := /bin/bash
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
STAMP := node_modules/.installed

.PHONY: run test verify bench sim build format clean setup

setup: $(STAMP)

# npm install, not npm ci: some registry mirrors lack the optional binaries of other platforms, which npm ci refuses.
$(STAMP): package.json package-lock.json
	npm install --no-audit --no-fund --loglevel=error
	@touch $(STAMP)

run: $(STAMP)
	node cmd/kcm/main.ts up

test: $(STAMP)
	vitest run $(VITEST_ARGS)

verify: $(STAMP)
	node hack/verify.ts

# SEEDS=1000 [FIRST=1] tries many whole clusters, SEED=n shows one with its trace.
sim: $(STAMP)
	node --max-semi-space-size=64 test/sim/main.ts

bench: $(STAMP)
	node hack/bench/main.ts $(BENCH_ARGS)

build: $(STAMP)
	rolldown -c hack/rolldown.config.ts

format: $(STAMP)
	oxfmt .

clean:
	rm -rf dist coverage .cache
