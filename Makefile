# What people type; `make help` lists it. The scripts say how.
SHELL := /bin/sh

# Where `make run` listens; port 0 takes a free one.
LISTEN ?= 127.0.0.1:8080
EMULATOR_LISTEN ?= 127.0.0.1:8085
# Further options for every swift build and swift test.
SWIFT_FLAGS ?=
# What `make bench` measures: accept through latency backlog idle apps catalog parts; empty: all of them.
PART ?=

DRAGOMAN := .build/release/dragoman
SWIFT_SOURCES := Package.swift Sources Tests Benchmarks

.PHONY: help run build test oracle bench format lint clean

help: ## show this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 16

run: build ## build, send the example notification, and serve until Ctrl-C
	@setpriv --pdeathsig TERM scripts/run-example $(DRAGOMAN) $(LISTEN) $(EMULATOR_LISTEN)

build: ## build the release executable, .build/release/dragoman
	@scripts/prepare build
	swift build -c release --product dragoman $(SWIFT_FLAGS)

# One test at a time: tests that wait for sockets and processes would otherwise hold all threads of a small machine's
# concurrency pool, and none would be left for what they wait for.
test: ## run all tests
	@scripts/prepare build test
	PATH="$$PATH:/usr/sbin" swift test --no-parallel $(SWIFT_FLAGS)

oracle: build ## hold the emulator against Google's own client, firebase-admin
	@scripts/prepare oracle
	@scripts/run-oracle $(DRAGOMAN)

bench: build ## measure it beside what it compares with; PART=accept measures one part
	@scripts/prepare bench
	@python3 Benchmarks/run.py $(PART)

format: ## format all Swift code
	swift format --in-place --recursive $(SWIFT_SOURCES)

lint: ## check the format of all Swift code, strictly
	swift format lint --strict --recursive $(SWIFT_SOURCES)

clean: ## remove what was built
	rm -rf .build
