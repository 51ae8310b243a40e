# The two commands: `make demo` shows the main job on real documents, `make test` runs everything.
# Both install what is missing, build, and run.

.PHONY: demo test examples check build-tests icu-data symbols cloud cloud-comparison record-symbols record-baseline stage install uninstall deb deb-root crash-points broken-commands two-processes managed-kills random-schedules power-cut other-kernel fuzz archive-corpus large-archives other-version open-documents syncthing sanitizers build lint format prepare prepare-build pages docs command-line

# See Package.swift.
export WITHOUT_APPLE_MODULES = 1

demo: build
	@Fixtures/demo.sh .build/release/docpkg

# Linked so that the program starts soon and is small (Docs/Benchmarks.md). The libraries of Swift, C++ and the compiler
# are static, and the relative relocations packed. No symbol is left. Each function has a section of its own, and the
# linker drops those that nothing calls, also public ones. lld does not warn of what Foundation calls. The addresses of
# other libraries' functions are all found at the start, so that their table is read-only from then on.
build: prepare-build
	@.ci/static-libraries .build/static
	swift build -c release --product docpkg --static-swift-stdlib -Xswiftc -use-ld=lld \
	  $(addprefix -Xswiftc -Xfrontend -Xswiftc ,-function-sections -internalize-at-link) \
	  -Xswiftc -L$(CURDIR)/.build/static -Xswiftc -Xclang-linker -Xswiftc -static-libgcc \
	  -Xlinker $(CURDIR)/.build/static/icu.o -Xlinker --defsym=$$(cat .build/static/icu.symbol)=docpkg_icu_data \
	  $(addprefix -Xlinker ,-T $(CURDIR)/.ci/no-unwinding.ld -s --no-export-dynamic -z pack-relative-relocs -z now)
	@.ci/no-runpath .build/release/docpkg

# Foundation with the part of ICU's data that `build` links does what it does with all data.
icu-data: prepare
	@.ci/static-libraries .build/static
	@Tests/LessICU/compare .build/static

# The command, its completions for bash, zsh and fish, its manual pages, the MIME type and the icon of its documents.
# `uninstall` removes exactly what `install` made.
PREFIX = /usr/local
stage: build
	.ci/stage .build/release/docpkg .build/stage

install: stage
	.ci/install .build/stage "$(DESTDIR)" "$(PREFIX)"

uninstall:
	.ci/install --remove .build/stage "$(DESTDIR)" "$(PREFIX)"

# A Debian package of the same files, for machines without Swift, in .build.
deb: stage
	.ci/deb .build/stage .build

# Installs, runs and purges the Debian package in a bare Debian of its own. Needs root.
deb-root: deb
	@Tests/Debian/bare-root .build/docpkg_*.deb

# Tests run the optimised libraries, as users do. Hashing is the same in every run, so that the crash states are, too.
# CONFIGURATION=debug builds sooner and runs slower.
CONFIGURATION = release
build-tests: prepare
	swift build -c $(CONFIGURATION) --build-tests
run-tests = SWIFT_DETERMINISTIC_HASHING=1 .ci/tests -c $(CONFIGURATION)

# Tests of waiting and tests with a browser run by themselves: beside a thousand other tests they would wait for these.
test: build-tests
	$(run-tests) --skip '^(FileCoordinationTests|NotesServerTests)\.'
	$(run-tests) --filter '^FileCoordinationTests\.'
	$(run-tests) --filter '^NotesServerTests\.'

# Programs of a package of their own, which check what they do. They are built as a user builds them: without this
# package's build products, and unoptimised.
examples: prepare
	env -u WITHOUT_APPLE_MODULES swift build --package-path Examples
	Examples/.build/debug/Checklist
	Examples/.build/debug/TravelNote
	Examples/.build/debug/Memo
	Examples/.build/debug/Palette
	Examples/.build/debug/Models
	Examples/.build/debug/ModelsInSwift5
	swift run --package-path Examples/RecipeBook

# The lint, the public symbols and the fast tests: those of suites without the tags `process` and `scale`.
check: lint build-tests symbols
	.ci/check $(CONFIGURATION)

# The public symbols of the libraries are on record, as are those of version 0.1.0: this fails if one appears or goes.
symbols: build-tests
	@.ci/public-symbols .build/$(CONFIGURATION) | diff -U 0 Fixtures/Baseline/public-symbols.txt - || \
	  { echo "The public symbols differ. If they should, run 'make record-symbols' and say why in the commit."; exit 1; }
	@.ci/symbol-changes $(symbol-lists) | diff -U 0 Fixtures/Baseline/symbol-changes.txt -

symbol-lists = Fixtures/Baseline/public-symbols-0.1.0.txt Fixtures/Baseline/public-symbols.txt

record-symbols: build-tests
	.ci/public-symbols .build/$(CONFIGURATION) > Fixtures/Baseline/public-symbols.txt
	.ci/symbol-changes $(symbol-lists) > Fixtures/Baseline/symbol-changes.txt

# Puts on record what saving does, for a commit that says why it changes.
record-baseline: build-tests
	RECORD_BASELINE=1 $(run-tests) --filter BaselineTests

# Breaks each call of a save, and of what comes after a save that was broken, damages each bit and edits at each
# moment, where `test` takes a sample.
crash-points: build-tests
	ALL_CRASH_POINTS=1 $(run-tests) --filter '^CrashTests\.|DamageTests|RecoveryEditTests|VersionCrashTests'

# Breaks each call of each command with each error, and compares the message and the exit status with the disk. With
# EVERY=4, each error breaks every fourth call; `test` breaks one call with each error.
EVERY = 1
broken-commands: build-tests
	EVERY_CALL=$(EVERY) $(run-tests) --filter BrokenCommandTests

# Two processes save the same package for so many seconds while a third one reads it.
SECONDS = 60
two-processes: build-tests
	TWO_PROCESSES_SECONDS=$(SECONDS) $(run-tests) --filter TwoProcessesTests

# Two processes count in one document with a database, and one of them is killed, so many times.
KILLS = 300
managed-kills: build-tests
	MANAGED_KILLS=$(KILLS) $(run-tests) --filter KilledBookkeeperTests

# Real file systems that lose power: on loop devices here, and in user-mode Linux with another kernel, disks that fail
# and NFS. Not part of `test`: both need root, install what they need, and take some ten minutes each.
power-cut:
	@Tests/PowerCut/loop-devices
	@SAVER=.build/release/bookkeeper SLOWNESS=4 Tests/PowerCut/loop-devices

other-kernel:
	@Tests/PowerCut/other-kernel

# Processes that read, write, move, present, are cancelled, stopped and killed at random.
SCHEDULES = 10000
random-schedules: build-tests
	RANDOM_SCHEDULES=$(SCHEDULES) $(run-tests) --filter RandomScheduleTests

# Gives each parser so many seconds of bytes that are nobody's: needs clang's runtime, which Swift brings.
fuzz: prepare
	.ci/fuzz $(SECONDS)

# Imports what libarchive tests itself with, under the address sanitizer; CORPUS is a clone of it, if there is one.
archive-corpus: prepare
	.ci/archive-corpus $(CORPUS)

# The memory and the threads of a thousand open documents, which only a process that does nothing else can tell.
open-documents: build-tests
	ALONE=1 $(run-tests) --filter 'DocumentCostTests/.*thousand'

# What an earlier version wrote, read by this one, and what this one writes, read by the earlier one. Builds that version.
OTHER = v0.1.0
other-version: build-tests
	@Tests/OtherVersion/both-ways $(OTHER) .build/$(CONFIGURATION)

# A Ceph cluster on this machine: the tests of every store, and failures of the service. Not part of `test`: it installs
# 80 packages and takes two minutes.
cloud: build-tests
	@Tests/Cloud/ceph env SWIFT_DETERMINISTIC_HASHING=1 sh -e -c 'for tests in \
	  "^ObjectStoresTests\.StoreConformanceTests|^docpkgTests\.CloudCommandTests" \
	  "^ObjectStoresTests\.CephTests" "^docpkgTests\.CloudKillTests"; do \
	  swift test -c $(CONFIGURATION) --skip-build --filter "$$tests"; done'

# The requests, bytes and times of a sync beside those of rclone, awscli and restic, with the same Ceph cluster.
cloud-comparison: build
	@Tests/Cloud/ceph sh -c '.build/release/docpkg bench cloud "s3://$$S3_TEST_BUCKET" \
	  --endpoint "$$S3_TEST_ENDPOINT" --against rclone,awscli,restic'

# Two real Syncthing instances with one document that is edited on both while they are apart.
syncthing: build
	@Tests/Syncthing/two-instances .build/release/docpkg

# Files and archives of gigabytes, which `test` has one of.
large-archives: build-tests
	LARGE_ARCHIVES=1 $(run-tests) --filter LargeArchiveTests

# The tests under the address sanitizer and under the thread sanitizer, each built for it.
sanitizers: prepare
	.ci/sanitizers address
	.ci/sanitizers thread

# The form of the code, the folders of each target, which use each other in one direction only, and the invariants,
# which code and tests cite. An optimised library has no members for a test that imports it as testable.
lint: prepare
	@! grep -rn '^@testable' Tests || { echo "Declare as package the members that tests use."; exit 1; }
	.ci/arrows
	.ci/invariants
	@.ci/pages | diff -q Sources/CNotesPages/CNotesPages.c - || { echo "Run 'make pages'."; exit 1; }
	swift format lint --strict --recursive --parallel Sources Tests Examples Package.swift

format:
	swift format --in-place --recursive --parallel Sources Tests Examples Package.swift

# Installs the Debian packages that building and testing need. Building alone needs fewer.
prepare:
	@.ci/prepare tests

prepare-build:
	@.ci/prepare build

# Puts the files of the pages into the C file that makes them part of the program, after one came or went.
pages:
	.ci/pages > Sources/CNotesPages/CNotesPages.c

# The documentation of the libraries, with the pages of Docs as articles: a site in .build/documentation.
# Fails if a link leads nowhere. To read it: python3 -m http.server -d .build/documentation
docs: prepare
	swift build -c $(CONFIGURATION)
	@.ci/documentation .build/$(CONFIGURATION) .build/documentation

# Writes Docs/CommandLine.md from the help of each command.
command-line: build
	@.ci/command-line-docs .build/release/docpkg > Docs/CommandLine.md
