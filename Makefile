# What people type; `make help` lists it. The scripts say how.
SHELL := /bin/sh

# Where `make run` listens; port 0 takes a free one.
LISTEN ?= 127.0.0.1:8080
EMULATOR_LISTEN ?= 127.0.0.1:8085
# How long each part is fuzzed.
FUZZ_SECONDS ?= 60
# Further options for every swift build and swift test.
SWIFT_FLAGS ?=
# What `make bench` measures: accept through latency backlog idle apps catalog parts; empty: all of them.
PART ?=
# How much `make soak` does: kills, syncs that fail, and worlds of the simulation.
CYCLES ?= 200
SYNCS ?= 12
DRAGOMAN_SIMULATION_SEEDS ?= 5000

DRAGOMAN := .build/release/dragoman
SWIFT_SOURCES := Package.swift Plugins Sources Tests Fuzz Benchmarks

.PHONY: help run build test oracle fuzz soak bench format lint clean image test-container test-image deb test-deb check-deploy

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 22

run: build ## build, send the example notification, and serve until Ctrl-C
	@setpriv --pdeathsig TERM scripts/run-example $(DRAGOMAN) $(LISTEN) $(EMULATOR_LISTEN)

# Swift's libraries are linked in, as for the image and the package: 5 MiB less memory, and no Swift where it runs.
build: ## build the release executable, .build/release/dragoman
	@scripts/prepare build
	swift build -c release --product dragoman --static-swift-stdlib $(SWIFT_FLAGS)

# One test at a time: tests that wait for sockets and processes would otherwise hold all threads of a small machine's
# concurrency pool, and none would be left for what they wait for.
test: ## run all tests
	@scripts/prepare build test
	PATH="$$PATH:/usr/sbin" swift test --no-parallel $(SWIFT_FLAGS)

oracle: build ## hold it against programs of others: firebase-admin, promtool, java.util.Formatter…
	@scripts/prepare oracle
	@scripts/run-oracle $(DRAGOMAN)

fuzz: ## fuzz the parsers of HTTP and JSON and the intake; FUZZ_SECONDS=600 make fuzz
	@scripts/prepare build
	Fuzz/run http $(FUZZ_SECONDS)
	Fuzz/run json $(FUZZ_SECONDS)
	Fuzz/run intake $(FUZZ_SECONDS)

soak: build ## kill, starve and fail the gateway at length; CYCLES=1000 make soak
	@scripts/prepare test soak
	scripts/soak-kill --cycles $(CYCLES) $(DRAGOMAN)
	scripts/soak-fdatasync --syncs $(SYNCS) $(DRAGOMAN)
	scripts/soak-full-disk $(DRAGOMAN)
	scripts/soak-replicas --faults 12 $(DRAGOMAN)
	DRAGOMAN_SIMULATION_SEEDS=$(DRAGOMAN_SIMULATION_SEEDS) swift test --filter SimulationTests $(SWIFT_FLAGS)

bench: build ## measure it beside what it compares with; PART=accept measures one part
	@scripts/prepare bench
	@python3 Benchmarks/run.py $(PART)

format: ## format all Swift code
	swift format --in-place --recursive $(SWIFT_SOURCES)

lint: ## check the format of all Swift code, strictly
	swift format lint --strict --recursive $(SWIFT_SOURCES)

clean: ## remove what was built
	rm -rf .build

image: ## build the container image dragoman:local with Docker
	docker build --tag dragoman:local \
	  --build-arg SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) --build-arg REVISION=$$(git rev-parse HEAD) .

test-container: ## build the image without a registry and prove it in a Docker engine of its own; as root
	@scripts/prepare build container
	@scripts/test-container

test-image: ## build the image twice from nothing and compare; as root
	@scripts/prepare build container
	@scripts/test-image

deb: build ## build the Debian package, .build/deb/dragoman_*.deb
	@scripts/prepare deb
	@scripts/build-deb $(DRAGOMAN) .build/deb

test-deb: deb ## install, run, upgrade and purge the package under a systemd of its own; as root
	@scripts/prepare container
	@scripts/test-deb .build/deb/dragoman_*.deb

check-deploy: ## check the Dockerfile and deploy/ with their own tools
	@scripts/prepare deploy
	@scripts/check-deploy
