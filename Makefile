# The two commands of the README are `make demo` and `make test`; each does all its own set-up.
SHELL := /bin/bash
.DEFAULT_GOAL := test
.PHONY: demo test test-libdeflate test-glib crash sanitize format lint sdk fuzz smoke examples bench bench-docs install setup pdfium python fixtures clean

SWIFT_SOURCES := Package.swift Sources Tests Examples Benchmarks/Package.swift Benchmarks/Sources Benchmarks/PDFium

# Stores a real PDF, reads it back, appends a save, renders its first page to .build/demo/page.png.
demo: setup pdfium
	swift build -c release --product quire
	swift build -c release --product RenderPage
	Scripts/demo.sh

# Formatter, warnings as errors (Package.swift), all tests, the tool as a process, the instructions of the hot paths. The tests run on
# optimized code, as users do: without, finding the runs of blocks takes most of the time.
test: setup pdfium python lint
	swift build -c release --build-tests -Xswiftc -enable-testing
	swift test -c release --skip-build --disable-xctest -Xswiftc -enable-testing
	$(MAKE) sdk smoke examples
	swift build $(BENCH)
	Benchmarks/instructions.sh

# The same tests with the engine of the trait Libdeflate.
LIBDEFLATE := --scratch-path .build/libdeflate --traits Libdeflate
test-libdeflate: pdfium python
	Scripts/setup.sh libdeflate-dev
	swift build -c release --build-tests -Xswiftc -enable-testing $(LIBDEFLATE)
	swift test -c release --skip-build --disable-xctest -Xswiftc -enable-testing $(LIBDEFLATE)

# The shell for the SDK, with a stand-in of the SDK's module; its Objective-C header, as clang reads it.
sdk:
	cd Tests/SDK && swift build -c release --build-tests --scratch-path ../../.build/sdk
	cd Tests/SDK && swift test -c release --skip-build --disable-xctest --scratch-path ../../.build/sdk
	"$$(dirname "$$(command -v swift)")/clang" -fsyntax-only -fobjc-runtime=macosx -fobjc-arc -Wall -Wextra -Werror \
		-Wno-objc-root-class -ITests/SDK/ObjC -ISources/QuireSDK -x objective-c Tests/SDK/ObjC/check.m

# The long campaigns: every save stopped and failing at every call, power cuts, 500 kills, processes, damage, 20 GiB. Prints what they
# counted.
crash: setup
	swift build -c release --build-tests -Xswiftc -enable-testing
	set -o pipefail; QUIRE_CRASH=1 swift test -c release --skip-build --disable-xctest -Xswiftc -enable-testing \
	    --filter 'CrashMatrixTests|PowerCutTests|KillTests|ProcessTests|PlaceTests|FaultInjectingProviderTests|DamageTests|SizeCases|MillionBlockCases' \
	    | grep --line-buffered -E '^crash: |✘|↳|^error|Test run'

# The tests under ThreadSanitizer and AddressSanitizer, with 8 readers and 2 writers for SOAK seconds on each stack of providers.
SOAK ?= 60
sanitize: setup pdfium
	Scripts/sanitize.sh $(SOAK)

# The trait GLib, with poppler.
GLIB := --scratch-path .build/glib --traits GLib
test-glib:
	Scripts/setup.sh libpoppler-glib-dev
	swift build -c release --build-tests -Xswiftc -enable-testing $(GLIB)
	swift test -c release --skip-build --disable-xctest -Xswiftc -enable-testing $(GLIB) --filter QuireGLibTests

# Coverage-guided; `make fuzz SECONDS=1800`. A slice without coverage is in `make test`.
SECONDS ?= 600
fuzz: setup
	Scripts/fuzz.sh $(SECONDS)

smoke:
	swift build -c release --product quire
	swift build -c release --product EncryptedStore
	Scripts/smoke.sh .build/release/quire .build/release/EncryptedStore

# Every program in Examples, on what `make install` installs.
examples:
	$(MAKE) --no-print-directory install PREFIX=$(CURDIR)/.build/prefix
	Scripts/examples.sh

lint:
	swift format lint --recursive --parallel --strict $(SWIFT_SOURCES)

format:
	swift format --in-place --recursive --parallel $(SWIFT_SOURCES)

# Random, sequential, open, pack and append, beside the plain file. Files or a folder: make bench PDFS=...
bench: setup
	swift run $(BENCH) bench $(PDFS)

PREFIX ?= $(HOME)/.local
# The tool, and libquire for C with its header, which need no Swift where they run.
STATIC := -c release --scratch-path .build/install -Xswiftc -static-stdlib
install: setup
	swift build $(STATIC) --product quire
	swift build $(STATIC) --product QuireC \
	    -Xlinker --version-script=Sources/CQuire/quire.map -Xlinker -soname=libquire.so
	install -D -s .build/install/release/quire $(PREFIX)/bin/quire
	install -D -s -m 644 .build/install/release/libQuireC.so $(PREFIX)/lib/libquire.so
	install -D -m 644 Sources/CQuire/include/quire.h $(PREFIX)/include/quire.h

setup:
	Scripts/setup.sh

pdfium: setup
	Scripts/fetch-pdfium.sh

# Without it the tests that need it are skipped by name.
python: setup
	Scripts/fetch-python.sh || echo "make: Python's PDF libraries cannot be fetched: tests that need them are skipped"

# Writes Docs/BENCHMARKS.md and its charts from the PDFs in $QUIRE_CORPUS, on a machine that does nothing else: both engines, beside
# the other formats. It takes a quarter of an hour on 2 cores.
BENCH := -c release --package-path Benchmarks --scratch-path .build/benchmarks
PEERS := libhts-dev libzstd-dev dictzip pigz qpdf
bench-docs: pdfium
	Scripts/setup.sh libdeflate-dev $(PEERS)
	Benchmarks/peers/build.sh --fetch
	swift build $(BENCH)
	swift build $(BENCH)-libdeflate --traits Libdeflate
	Benchmarks/docs.sh $(PDFS)

# Makes the fixtures anew, with Debian's own PDF tools.
fixtures:
	Scripts/make-fixtures.sh

clean:
	rm -rf .build
