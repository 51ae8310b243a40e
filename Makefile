# `make help` lists what there is. CONFIGURATION=debug builds the tests sooner and runs them slower.
#
# What takes long and proves promises is in Tests/long/run.

.PHONY: help demo test check build all install uninstall deb docs fuzz examples lint format build-tests \
  prepare notes test-notes install-notes record-baseline stage
.DEFAULT_GOAL = help

PREFIX = /usr/local
CONFIGURATION = release
SECONDS = 60

help: ## prints this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1: \2/p' Makefile | awk -F ': ' '{ printf "make %-15s %s\n", $$1, $$2 }'

demo: build ## builds docpkg and runs the main job on real documents
	@Fixtures/demo.sh .build/release/docpkg

test: build-tests ## builds with optimisation and runs all tests
# Tests of waiting would wait for a thousand other tests beside them, longer than an access waits.
	$(run-tests) --skip $(waiting)
	$(run-tests) --filter $(waiting)
waiting = '^FileCoordinationTests\.|^AppleDocumentsTests\.CoordinationTests'

check: lint build-tests ## runs the lint, and the suites without the tags `process` and `scale`
	.ci/check $(CONFIGURATION)

# Swift's libraries are static: the program starts sooner, and runs where there is no Swift. Its own symbols are for no
# other program: without their table the program is 0.9 MB smaller, and its start takes 0.36 million instructions less.
swift-build = swift build -c release --static-swift-stdlib -Xlinker --no-export-dynamic --product

build: ## builds docpkg
	@.ci/prepare build
	$(swift-build) docpkg

all: build ## builds docpkg, and docpkg-full with documents with a database, cloud and bench
	$(swift-build) docpkg-full

install: stage ## installs all programs, the manual, completions and the MIME type below PREFIX=/usr/local
	.ci/install .build/stage "$(DESTDIR)" "$(PREFIX)"

uninstall: ## removes exactly what `install` made
	.ci/install --remove "$(DESTDIR)$(PREFIX)"

deb: stage ## makes a Debian package of the same files in .build
	.ci/deb .build/stage .build

docs: build-tests ## makes the documentation as a site in .build/documentation; fails if a link is broken
	@.ci/documentation $(CONFIGURATION) .build/documentation

fuzz: prepare ## gives each parser random bytes for SECONDS=60
	Tests/Fuzz/run $(SECONDS)

examples: prepare ## builds and runs the package Examples
	.ci/examples

lint: prepare ## checks the form of the code and the invariants
	@! grep -rn '^@testable' Tests || { echo "Declare as package the members that tests use."; exit 1; }
	.ci/invariants
	@find Sources -name '*.swift' | xargs awk '/^ *(defer \{ )?try\? / && !/\/\// && before !~ /\/\// { bad = 1; \
	  print FILENAME ":" FNR ": say in a comment why this error is dropped" } { before = $$0 } END { exit bad }'
	swift format lint --strict $(swift-files)

format: ## formats the code
	swift format --in-place $(swift-files)
swift-files = --recursive --parallel Sources Tests Examples Package.swift

record-baseline: build-tests ## records what saving does, for a commit that says why it changes
	RECORD_BASELINE=1 $(run-tests) --filter BaselineTests

notes: ## builds docpkg-serve, the notes in the browser, from Examples/Notes
	@.ci/prepare build
	swift build --package-path $(notes) -c release --static-swift-stdlib --product docpkg-serve
notes = Examples/Notes

install-notes: notes ## installs docpkg-serve below PREFIX=/usr/local, where docpkg finds it
	install -D -m 755 -t "$(DESTDIR)$(PREFIX)/libexec/docpkg" $(notes)/.build/release/docpkg-serve
	cp -R $(notes)/.build/release/Notes_docpkg-serve.resources "$(DESTDIR)$(PREFIX)/libexec/docpkg"

test-notes: ## builds the notes without optimisation and runs their tests, with two browsers
	@.ci/prepare notes
	swift build --package-path $(notes) --build-tests
	cd $(notes) && ../../.ci/tests -c debug

build-tests: prepare ## builds everything and the tests
	swift build -c $(CONFIGURATION) --build-tests
# Hashing is the same in every run, so that the crash states are, too.
run-tests = SWIFT_DETERMINISTIC_HASHING=1 .ci/tests -c $(CONFIGURATION)

prepare: ## installs the Debian packages that building and testing need
	@.ci/prepare tests

stage: all
	.ci/stage .build/release .build/stage
