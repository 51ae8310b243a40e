# The two commands: `make demo` shows the main job on real documents, `make test` runs everything.
# Both install what is missing, build, and run.

.PHONY: demo test build lint format prepare docs

demo: build
	@Fixtures/demo.sh .build/release/docpkg

build: prepare
	swift build -c release --product docpkg

# Hashing is made the same in every run, so that the crash states are, too.
test: prepare
	swift build --build-tests
	SWIFT_DETERMINISTIC_HASHING=1 swift test

lint:
	swift format lint --strict --recursive --parallel Sources Tests Package.swift

format:
	swift format --in-place --recursive --parallel Sources Tests Package.swift

prepare:
	@.ci/prepare

# Writes Docs/CommandLine.md from the help of each command.
docs: build
	@.ci/command-line-docs .build/release/docpkg > Docs/CommandLine.md
