# Everything runs with the Node of node_modules, whatever the machine has.
SHELL := /bin/bash
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
STAMP := node_modules/.installed

.PHONY: run test real real-skew verify bench sim mutants differential differential-record foreign build package check-package release format clean setup

setup: $(STAMP)

# npm install, not npm ci: some registry mirrors lack the optional binaries of other platforms, which npm ci refuses.
# What came is compared with the lock file all the same.
$(STAMP): package.json package-lock.json
	npm install --no-audit --no-fund --loglevel=error --no-save
	node hack/check-installed.ts
	@touch $(STAMP)

run: $(STAMP)
	node cmd/kcm/main.ts up

test: $(STAMP)
	vitest run $(VITEST_ARGS)

# Upstream's own etcd and Kubernetes programs, dependencies of the Go module in test/real, which is compiled in minutes:
# tests and bench use them where they are.
REAL := .cache/real
KUBERNETES := v1.36.4
REAL_PROGRAMS := $(addprefix $(REAL)/,kube-apiserver kube-controller-manager kube-scheduler)
# Of a version and its minor one.
version_flags = -X k8s.io/component-base/version.gitVersion=$(1) -X k8s.io/component-base/version.gitMajor=1 \
  -X k8s.io/component-base/version.gitMinor=$(2) -X k8s.io/component-base/version.gitTreeState=clean
GO_BUILD := cd test/real && CGO_ENABLED=0 go build -trimpath

real: $(REAL)/etcd $(REAL_PROGRAMS)

$(REAL)/etcd: test/real/go.mod test/real/go.sum
	$(GO_BUILD) -o ../../$@ go.etcd.io/etcd/server/v3

$(REAL_PROGRAMS): test/real/go.mod test/real/go.sum
	$(GO_BUILD) -ldflags "$(call version_flags,$(KUBERNETES),36)" -o ../../$@ k8s.io/kubernetes/cmd/$(@F)

# API servers of other versions, for KUBEBUILDER_ASSETS=$PWD/.cache/skew/v1.35: every test that wants a real API server
# takes that one. etcd is the same; the modules below test/real have nothing but their kube-apiserver.
SKEW := 1.34 1.35 1.37
SKEW_SERVERS := $(SKEW:%=.cache/skew/v%/kube-apiserver)
VERSION_OF := go list -m -f '{{.Version}}' k8s.io/kubernetes

real-skew: $(SKEW_SERVERS)

$(SKEW_SERVERS): .cache/skew/v%/kube-apiserver: test/real/v%/go.mod test/real/v%/go.sum $(REAL)/etcd
	mkdir -p $(@D) && ln -sf ../../real/etcd $(@D)/etcd
	cd test/real/v$* && CGO_ENABLED=0 nice go build -trimpath -o ../../../$@ \
	  -ldflags "$(call version_flags,$$($(VERSION_OF)),$(*:1.%=%))" \
	  k8s.io/kubernetes/cmd/kube-apiserver

verify: $(STAMP)
	node hack/verify.ts

# SEEDS=1000 [FIRST=1] tries many whole clusters, SEED=n shows one with its trace.
sim: $(STAMP)
	node --max-semi-space-size=64 test/sim/main.ts

# Plants mistakes one at a time; each must be noticed by its tests. ONLY=part of a name or file, or RANDOM=150 [SEED=1]
# [MOST_SECONDS=90], which tries those that chance has chosen, each with tests that take so long together at most.
mutants: $(STAMP)
	$(if $(RANDOM),COUNT=$(RANDOM) node test/mutants/random.ts,node test/mutants/main.ts)

# The same requests to the embedded API server and the real one. COUNT=100000 requests, SEED=1, FROM=0 the first case,
# KIND='Pod|Job'; see test/differential/README.md.
differential: $(STAMP) real
	node test/differential/main.ts

# Keeps what the real API server answers to requests that the embedded one answers alike, for machines without it.
differential-record: $(STAMP) real
	node test/differential/record.ts

# Test suites of controller-runtime, and upstream's conformance of two groups, against the embedded API server. They are
# compiled first (Go, half an hour). ONLY=part of a suite's name, FOCUS=pattern for cases of the conformance, ALL=1 with
# what is known not to pass; see test/foreign/README.md.
foreign: $(STAMP)
	node test/foreign/main.ts

bench: $(STAMP)
	node hack/bench/main.ts $(BENCH_ARGS)

build: $(STAMP)
	rolldown -c hack/rolldown.config.ts

# The npm package, made in dist/package from the rooms that package.json exports, and its tarball in dist.
package: $(STAMP)
	node hack/package/main.ts

# Installs the tarball into an empty project with npm, asks tools of others what they think of it, and writes its bill of
# materials to dist/sbom.cdx.json. CONSUMER_NODE is the Node.js that runs it there.
check-package: package
	node hack/package/check.ts

# Rehearses a release, and publishes nothing: that is done by the workflow, for a tag.
release: verify check-package
	npm publish ./dist/kube-controller-manager-*.tgz --dry-run --tag latest

format: $(STAMP)
	oxfmt .

clean:
	rm -rf dist coverage .cache
