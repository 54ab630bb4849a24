# The commands for people; `make help` lists them. The scripts implement them.
SHELL := /bin/sh

# The addresses of `make run`; port 0 selects a free port.
LISTEN ?= 127.0.0.1:8080
EMULATOR_LISTEN ?= 127.0.0.1:8085
# The duration for which each part is fuzzed, in seconds.
FUZZ_SECONDS ?= 60
# The modules that a release build compiles at a time. SwiftPM prefers those that are last in the alphabet; with as many as
# there are cores, it would begin the longest way through the modules, from AppStrings on, when all others are compiled.
JOBS ?= $(shell echo $$((2 * $$(nproc))))
# Further options for every swift build and swift test.
SWIFT_FLAGS ?=
# The parts that `make bench` runs: accept through languages streams postgres cost latency backlog idle apps catalog releases reload console parts. Empty: all.
PART ?=
# Another executable, which parts accept, through, cost and latency measure by turns with the one that is built.
AGAINST ?=
# The amount of work of `make soak`: kills, syncs that fail, and runs of the simulation.
CYCLES ?= 200
SYNCS ?= 12
# The number of failovers of `make soak-failover`.
FAILOVERS ?= 10
DRAGOMAN_SIMULATION_SEEDS ?= 5000

# Whose tests `make tsan` runs, and what of them it skips: long histories on one thread, which have no races to find, and a
# limit on memory, which ends the sanitizer itself. Of TSAN_ONLY, it skips nothing.
TSAN_ONLY ?= HTTPServerTests|HTTPClientTests|SQLTests|GoogleAuthTests|FCMTests|FeedbackTests
TSAN_TESTS ?= ClockTests|OutboxTests|DeliveryTests|$(TSAN_ONLY)
TSAN_SKIPPED ?= \.(ModelTests|SimulationTests)/|/aLimitOnThreadsIsReported

DRAGOMAN := .build/release/dragoman
SWIFT_SOURCES := Package.swift Plugins Sources Tests Fuzz Benchmarks

.PHONY: help run build test tsan oracle test-browser screenshots fuzz soak soak-failover bench format lint clean image test-container test-image deb packages test-deb test-release check-deploy

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 22

run: ## build, send the example notification, and serve until Ctrl-C
	@setpriv --pdeathsig TERM scripts/run-example $(LISTEN) $(EMULATOR_LISTEN) $(SWIFT_FLAGS)

# With colors, which depend on the terminal, the same build would begin anew without one.
build: ## build the release executable, .build/release/dragoman
	@scripts/prepare build
	scripts/build-release --jobs $(JOBS) --no-color-diagnostics $(SWIFT_FLAGS)

test: ## run all tests; TESTS=rest: those that make tsan does not run
	@scripts/prepare build test
ifeq ($(TESTS),rest)
	@TESTED_MODULES="$$(ls Tests | grep 'Tests$$' | grep -vxE '$(TSAN_ONLY)' | paste -sd '|')" \
	  scripts/run-tests --skip '^($(TSAN_TESTS))(?!.*($(TSAN_SKIPPED)))\.' $(SWIFT_FLAGS)
else
	@scripts/run-tests $(SWIFT_FLAGS)
endif

# What the sanitizer cannot see is in Tests/thread-sanitizer.supp. TSAN_TESTS=OutboxTests runs one module's tests.
tsan: ## run the tests of everything concurrent under ThreadSanitizer
	@scripts/prepare build test
	@TESTED_MODULES='$(TSAN_TESTS)' TSAN_OPTIONS="suppressions=$(CURDIR)/Tests/thread-sanitizer.supp" \
	  scripts/run-tests --sanitize=thread \
	  --scratch-path .build/tsan --filter '^($(TSAN_TESTS))\.' --skip '$(TSAN_SKIPPED)' $(SWIFT_FLAGS)

oracle: build ## compare it with independent programs: firebase-admin, promtool, java.util.Formatter…
	@scripts/prepare oracle
	@scripts/run-oracle $(DRAGOMAN)

test-browser: build ## test the console in Debian's Chromium
	@scripts/prepare browser
	@scripts/test-browser $(DRAGOMAN)

screenshots: build ## renew the pictures of the console: those in docs/images, and those that test-browser compares
	@scripts/prepare browser
	@scripts/test-browser $(DRAGOMAN) --screenshots $(CURDIR)/docs/images

fuzz: ## fuzz the HTTP and JSON parsers, the intake and the readers of apps; before a release: FUZZ_SECONDS=600 make fuzz
	@scripts/prepare build
	Fuzz/run http $(FUZZ_SECONDS)
	Fuzz/run json $(FUZZ_SECONDS)
	Fuzz/run intake $(FUZZ_SECONDS)
	Fuzz/run archives $(FUZZ_SECONDS)

soak: build ## run long failure tests: kills, full disks, failing syncs; CYCLES=1000 make soak
	@scripts/prepare test soak
	scripts/soak-kill --cycles $(CYCLES) $(DRAGOMAN)
	scripts/soak-sets $(DRAGOMAN)
	scripts/soak-sets --postgres $(DRAGOMAN)
	scripts/soak-fdatasync --syncs $(SYNCS) $(DRAGOMAN)
	scripts/soak-full-disk $(DRAGOMAN)
	scripts/soak-replicas --faults 12 $(DRAGOMAN)
	scripts/soak-leases --transaction 90 $(DRAGOMAN)
	DRAGOMAN_SIMULATION_SEEDS=$(DRAGOMAN_SIMULATION_SEEDS) swift test --filter SimulationTests $(SWIFT_FLAGS)

soak-failover: build ## fail over a PostgreSQL cluster under load, and measure it; FAILOVERS=4 make soak-failover
	@scripts/prepare failover
	scripts/soak-failover --failovers $(FAILOVERS) $(DRAGOMAN)

bench: build ## run the benchmarks; PART=accept runs one part
	@scripts/prepare bench browser
	@python3 Benchmarks/run.py $(if $(AGAINST),--against $(AGAINST)) $(PART)

format: ## format all Swift code
	swift format --in-place --recursive $(SWIFT_SOURCES)

lint: ## check the format of all Swift code, strictly, and the scripts of the web pages
	@scripts/prepare lint
	swift format lint --strict --recursive $(SWIFT_SOURCES)
	scripts/lint-scripts

clean: ## remove everything that was built
	rm -rf .build

image: ## build the container image dragoman:local with Docker
	docker build --tag dragoman:local \
	  --build-arg SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) \
	  --build-arg VERSION=$$(scripts/version) --build-arg REVISION=$$(git rev-parse HEAD) .

test-container: ## build the image without a registry and test it in a private Docker engine; as root
	@scripts/prepare build container
	@scripts/test-container

test-image: ## build the image twice from scratch and compare the results; as root
	@scripts/prepare build container
	@scripts/test-image

deb: build ## build the Debian package, .build/deb/dragoman_*.deb
	@scripts/prepare deb
	@scripts/build-deb $(DRAGOMAN) .build/deb

packages: build ## build what a release offers for this architecture: the Debian package and the tarball, in .build/packages
	@scripts/prepare deb tarball
	@scripts/build-deb $(DRAGOMAN) .build/packages
	@scripts/build-tarball $(DRAGOMAN) .build/packages

test-release: packages ## run every step of a release here, up to its publication; as root
	@scripts/prepare container release
	@scripts/test-release $(DRAGOMAN)

test-deb: deb ## install, run, upgrade and purge the package under its own systemd; as root
	@scripts/prepare container
	@scripts/test-deb .build/deb/dragoman_*.deb

check-deploy: ## check the Dockerfile, deploy/ and the workflows with their own tools
	@scripts/prepare deploy
	@scripts/check-deploy
