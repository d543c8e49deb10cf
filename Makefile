# The one way to do anything here. `make help` lists the targets; programs that do more than a line are in integration/.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --warn-undefined-variables --no-builtin-rules
.DEFAULT_GOAL := help

GO ?= go
# No other toolchain is downloaded, and nothing asks a network once modules are there.
export GOTOOLCHAIN := local
export CGO_ENABLED ?= 1
# Clones share what is built. Without the tags the binary has the trace pages of gRPC, whose templates keep every exported method
# (6 MB), and HTTP/2 of net/http, which neither S3 nor the endpoint of metrics speaks.
export GOFLAGS ?= -trimpath -tags=grpcnotrace,nethttpomithttp2

BIN := .bin
TOOLS := $(addprefix $(BIN)/,buf gotestsum gremlins grpcurl protoc-gen-go protoc-gen-go-grpc staticcheck vale)
PLUGINS := $(addprefix $(BIN)/,buf protoc-gen-go protoc-gen-go-grpc)
# The S3 server of the integration tests, in a module of its own: it takes minutes to build.
GATEWAY := $(BIN)/versitygw
MODULES := . integration/tools integration/tools/s3 integration/tokens integration/providers integration/mcp integration/browser redact/generate packaging packaging/tools
# The families of the example, in a workspace with the contract that they import.
EXAMPLE := . --config '{"version":"v2","modules":[{"path":"proto"},{"path":"docs/examples"}]}' --path docs/examples/acme
BUILD_SET := --as-file-descriptor-set --exclude-imports --exclude-source-info
# The contract as it was promised (docs/reference/versioning.md): a descriptor set without comments.
FROZEN := proto/v1.binpb
# Runs a job and writes its seconds to .run/jobs.txt. A go test in it runs under gotestsum.
JOB := $(CURDIR)/$(BIN)/ci
export GOTESTSUM := $(CURDIR)/$(BIN)/gotestsum
# Runs a job and keeps the digest of its inputs if it passes.
KEEP := integration/ci/inputs.sh keep
# Go aligns functions to 32 bytes; 16 is what x86-64 asks for, and 0.3 MB less.
STRIPPED := -s -w -funcalign=16
POSTGRES := auditlog/postgres/start.sh run
# Every test must run, not only those that need nothing but Go.
EVERY := TOOLRESULT_LEGS=all
CORPUS := ../shared/corpus
# The tests of the evaluation that need no corpus.
IN_TREE := ^Test(Kinds|Frame|LargeOutput|UsefulLines|PlainCuts)$$
# CI measures receipts of 1,000 tokens, or of all budgets with ALL=yes, and rewrites no document.
IN_CI ?=
ALL ?=
ABLATE ?=
RESULTS := -args $(if $(IN_CI),$(if $(ALL),,-budgets 1000),-document $(CURDIR)/docs/evaluation.md)
# What CI runs: always, if the inputs of a job changed since it passed (integration/ci/inputs.txt), and with ALL=yes.
ALWAYS := checks test race eval integration faults fuzz
CHANGED := tokens providers frameworks clients mcp browser site hosts observability objectstore postgres packages readme platforms
FULL := sweeps
# Packages that share state between goroutines; integration/dag checks that none is missing. `make race-long` has all.
RACE := ./artifactstore/... ./auditlog/... ./clients/... ./cmd/... ./inspect ./internal/... ./projectors/profile ./redact ./server/... $(if $(ALL),./integration)
# The tests of the store that need root, a mount or a program.
STORE_TESTS := TestUnsafeRootsAreRejected|TestRequireStableFS|TestDamageIsNeverRead|TestFullDiskKeeps|TestTakeFile|TestFailedTakeFile

# Packages whose tests run on arm64, where the size of words, alignment, atomics or system calls may matter; and the tests that cannot
# run under QEMU, with reasons in integration/platforms/not-under-qemu.txt.
QEMU := qemu-aarch64-static
ARM64 := $(addprefix ./internal/,groupcommit heldfile index journal jsonspan mcpproxy peercred privatedir sidecar spool sqlitedb) \
	./artifactstore/dir ./artifactstore/internal/... ./redact ./preview/literal ./preview/textscan ./tokens/... ./server/rpc ./server/identity \
	./cmd/toolresult
NOT_UNDER_QEMU = $(shell integration/platforms/skipped.sh integration/platforms/not-under-qemu.txt)
# One test of a package at a time: a child that another one starts has the locks of this process until it runs its program, which takes long there.
# What may be missing there: root, mounts and programs are for the job of integration.
UNDER_QEMU := NO CORPUS|needs root|cannot mount|cannot make and mount|needs the program|takes 1 GiB|not installed|no /dev/full

# Tests of memory run alone: beside others the garbage collector gets no processor, and they would measure that.
BOUNDED := InBoundedMemory$$
# Tests of artifacts in S3, whose server takes minutes to build.
OBJECT_STORE := ^TestObjectStore
# What the job of integration leaves to others: the corpus, the search of `make costs`, and a process of other tests.
ELSEWHERE := (?i)corpus|make costs|make frameworks|a process of other tests

# What to set: a family of `make golden`, packages of `make mutate`, a benchmark, parts of `make bench`, languages of `make clients`.
FAMILY ?=
PKG ?= ./artifactstore
BENCH ?= .
BENCHTIME ?= 1s
QUICK ?=
PARTS ?=
CLIENTS ?= go java python rust typescript
WRITE ?=
INSTALL ?=
# A count, not a time: in Go 1.26 a fuzz target whose time ends while a worker is busy can fail with "context deadline
# exceeded" (go.dev/issue/75804).
FUZZTIME ?= $(if $(ALL),5000x,500x)

include integration/long.mk
include packaging/packaging.mk
.PHONY: $(shell awk -F: '/^[a-z-]+:.*\#\# / {print $$1}' $(MAKEFILE_LIST))

help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## Build .bin/toolresult
	$(GO) build -o $(BIN)/toolresult ./cmd/toolresult
release: ## Build .bin/release/toolresult as it is released: without symbols, functions close together
	$(GO) build -ldflags '$(STRIPPED)' -o $(BIN)/release/toolresult ./cmd/toolresult
rest: release ## Start time, size and memory at rest of the release binary
	$(EVERY) TOOLRESULT_RELEASE=$(CURDIR)/$(BIN)/release/toolresult $(JOB) -all rest $(GO) test -count=1 -timeout 10m ./integration/rest
	TOOLRESULT_TIMED=yes TOOLRESULT_BINARY=$(CURDIR)/$(BIN)/release/toolresult $(JOB) -all rest-page $(GO) -C integration/browser test -count=1 -v -run InTime .
run: build ## Build and start the sidecar, show how to call it and one real receipt
	@integration/run.sh $(BIN)/toolresult
grpcurl: $(BIN)/grpcurl ## Build grpcurl, to call the sidecar by hand

quick: ## The daily loop, a minute: vet, and the short tests of packages that changed, without the binary
	$(GO) vet ./...
	$(JOB) quick $(GO) test -short $$($(GO) list ./... | grep -v /integration) ./integration/dag
test: build ## The short form of every test that needs nothing but Go: four minutes on two idle cores
	@echo 'make test: six minutes of CPU, four minutes on two idle cores; more in a fresh clone, which compiles first'
	TOOLRESULT_BINARY=$(CURDIR)/$(BIN)/toolresult $(JOB) test $(GO) test -short -shuffle=on -parallel 4 ./integration ./server ./...
race: ## The short tests of packages with goroutines, shuffled, under the race detector
	$(JOB) race $(GO) test -race -short -shuffle=on -timeout 30m $(RACE)
sweeps: ## The properties and sweeps that -short makes smaller, in full
	$(JOB) sweeps $(GO) test -count=1 -shuffle=on -timeout 20m $$($(GO) list ./... | grep -v /integration)
integration: build programs $(BIN)/grpcurl ## The built binary on a real socket, with grpcurl and PostgreSQL
	$(EVERY) TOOLRESULT_BINARY=$(CURDIR)/$(BIN)/toolresult $(POSTGRES) $(JOB) -all -but '$(ELSEWHERE)' integration \
		$(GO) test -count=1 -shuffle=on -timeout 20m -skip '$(BOUNDED)|$(OBJECT_STORE)' $$($(GO) list ./integration/... | grep -vE '/(faults|eval|bench|hosts|clients|rest|observability)')
	$(EVERY) TOOLRESULT_BINARY=$(CURDIR)/$(BIN)/toolresult $(JOB) -all memory $(GO) test -count=1 -timeout 20m -run '$(BOUNDED)' ./integration
objectstore: build $(GATEWAY) ## The built binary with artifacts in an S3 server
	$(EVERY) TOOLRESULT_BINARY=$(CURDIR)/$(BIN)/toolresult $(KEEP) objectstore $(JOB) -all objectstore $(GO) test -count=1 -timeout 10m -run '$(OBJECT_STORE)' ./integration
observability: build ## The dashboard and the alerts of packaging/observability, by promtool and a Prometheus that scrapes
	@integration/setup.sh $(if $(INSTALL),install,check) promtool prometheus
	$(EVERY) TOOLRESULT_BINARY=$(CURDIR)/$(BIN)/toolresult $(KEEP) observability $(JOB) -all observability $(GO) test -count=1 -timeout 5m ./integration/observability
faults: programs ## Kill, cut the power, fill disks: the short form of integration/faults/README.md
	$(EVERY) $(JOB) -all -but 'a log in memory' faults $(GO) test -count=1 -shuffle=on -parallel 4 -timeout 20m ./integration/faults ./internal/journal ./internal/index ./auditlog/local
	$(EVERY) $(JOB) -all faults-store $(GO) test -count=1 -run '$(STORE_TESTS)' ./artifactstore/dir
postgres: programs ## The audit log in a PostgreSQL server of its own: the contract, kills, lost connections
	$(EVERY) $(POSTGRES) $(KEEP) postgres $(JOB) -all postgres $(GO) test -count=1 -shuffle=on -timeout 10m ./auditlog/postgres
fuzz: ## Every fuzz target for FUZZTIME, a count of inputs (500x) or a time (10m)
	$(JOB) -fuzz $(FUZZTIME) fuzz .
tokens: ## Compare the exact token counters with the reference, and time them
	cd integration/tokens && $(GO) vet ./...
	$(KEEP) tokens $(JOB) -all -but '(?i)corpus' tokens $(GO) -C integration/tokens test -count=1 . -rapid.checks 20000
hosts: ## Run the six real agent hosts, of TOOLRESULT_HOSTS or from the npm registry; WRITE=yes writes docs/hosts.md
	[ -n "$${TOOLRESULT_HOSTS:-}" ] || integration/hosts/install.sh .run/hosts
	$(EVERY) $(KEEP) hosts $(JOB) -all hosts $(GO) test -count=1 -parallel 2 -timeout 20m ./integration/hosts $(if $(WRITE),-args -write)

providers: ## Send fixtures through the providers' own SDKs to a mock that checks their schemas; WRITE=yes writes the table
	cd integration/providers && $(GO) vet ./...
	$(EVERY) $(KEEP) providers $(JOB) -all providers $(GO) -C integration/providers test -count=1 . $(if $(WRITE),-args -document $(CURDIR)/integration/providers/README.md)
frameworks: build ## Run the examples of docs/frameworks.md in the frameworks themselves, installed below .run
	$(EVERY) TOOLRESULT_FRAMEWORKS=yes TOOLRESULT_BINARY=$(CURDIR)/$(BIN)/toolresult $(KEEP) frameworks $(JOB) -all frameworks $(GO) test -count=1 -timeout 20m ./integration/frameworks ./integration/journal ./integration/datasette
clients: build ## Every client: one list of calls, its own checks, its package as users install it, its tutorial
	$(EVERY) TOOLRESULT_CLIENTS='$(CLIENTS)' TOOLRESULT_BINARY=$(CURDIR)/$(BIN)/toolresult $(if $(filter 5,$(words $(CLIENTS))),$(KEEP) clients) $(JOB) -all clients $(GO) test -count=1 -timeout 40m ./integration/clients
mcp: build ## Real clients and servers of MCP through `toolresult mcp`: the official SDK, and servers of npm
	cd integration/mcp && $(GO) vet ./...
	$(EVERY) TOOLRESULT_BINARY=$(CURDIR)/$(BIN)/toolresult $(KEEP) mcp $(JOB) -all mcp $(GO) -C integration/mcp test -count=1 .
browser: build ## The page of `toolresult inspect` in Chromium, over a log of 100,000 records, with axe-core
	integration/browser/setup.sh $(if $(INSTALL),install)
	cd integration/browser && $(GO) vet ./...
	$(EVERY) TOOLRESULT_BINARY=$(CURDIR)/$(BIN)/toolresult $(KEEP) browser $(JOB) -all -but 'make rest' browser $(GO) -C integration/browser test -count=1 -timeout 15m .
site: ## Build the documentation as a site with search, below .run/site; a broken link is an error
	$(KEEP) site $(JOB) site integration/site/build.sh
eval: ## Score receipts of real outputs with known answers; docs/evaluation.md has the results; ABLATE=yes what recognisers are worth
	$(if $(ABLATE),$(EVERY) $(GO) test -count=1 -timeout 60m -v -run TestAblation ./integration/eval -args -ablate -document $(CURDIR)/docs/evaluation.md,$(EVERY) $(JOB) -all eval-kinds $(GO) test -count=1 -run '$(IN_TREE)' ./integration/eval $(RESULTS))
	@if [ -n "$(ABLATE)" ]; then exit; fi; if [ -n "$(IN_CI)" ] && [ ! -e $(CORPUS) ]; then printf 'eval\tskipped\t0\t0\t\tno $(CORPUS)\n' >> .run/jobs.txt; exit; fi; \
	$(EVERY) $(JOB) -all -but 'ABLATE=yes' eval $(GO) test -count=1 -skip '$(IN_TREE)' ./integration/eval $(RESULTS)
platforms: ## macOS, linux/arm64 and Windows: check all types, build, and run tests on arm64 under QEMU (docs/platforms.md)
	@integration/setup.sh $(if $(INSTALL),install,check) $(QEMU) qemu-user-static
	$(JOB) platforms-types integration/platforms/check.sh
	$(JOB) platforms-build integration/platforms/build.sh
	$(KEEP) platforms $(JOB) -all -but '$(UNDER_QEMU)' platforms-arm64 env GOARCH=arm64 CGO_ENABLED=0 \
		$(GO) test -pgo=off -count=1 -short -parallel 1 -timeout 5m -exec $(QEMU) -skip '$(NOT_UNDER_QEMU)' $(ARM64)
readme: $(BIN)/grpcurl ## Run every code block of the README, as a reader would
	$(KEEP) readme $(JOB) -all readme $(GO) test -count=1 -timeout 30m -tags readme,grpcnotrace,nethttpomithttp2 ./integration/readme
bench: ## Measure what users get beside floors, and write docs/reference/performance.md; QUICK=yes prints, PARTS selects
	$(GO) run ./integration/performance $(if $(QUICK)$(PARTS),$(if $(QUICK),-quick) -only '$(PARTS)',-write)
profile: ## Write the profile by which the sidecar is built, cmd/toolresult/default.pgo
	$(GO) run ./integration/performance -profile cmd/toolresult/default.pgo
benchmarks: ## Run the benchmarks of parts; BENCH selects, BENCHTIME sets the time of each
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -benchmem ./...
# CI builds without the profile, which compiles every package again, and vets only in checks.
ci: $(BIN)/ci ## What CI runs; ALL=yes also runs jobs whose inputs did not change, and the long form of others
	@mkdir -p .run && rm -f .run/jobs.txt
	@due='$(if $(ALL),$(CHANGED) $(FULL))'; [ -n "$$due" ] || due=$$(integration/ci/inputs.sh due $(CHANGED)); \
	status=0; $(MAKE) --keep-going IN_CI=yes GOFLAGS='$(GOFLAGS) -pgo=off -vet=off' $(ALWAYS) $$due || status=$$?; \
	integration/ci/table.sh $(ALWAYS) $(CHANGED) $(if $(ALL),$(FULL)) || status=$$?; exit $$status
ci-times: ## Write what the jobs of the last `make ci` took into docs/ci.md
	integration/ci/table.sh -page docs/ci.md

golden: $(BIN)/grpcurl ## Write golden files, of one FAMILY or of all, and the tables of the documents; review the diff
	@$(GO) run ./integration/golden -family '$(FAMILY)'
generate: $(PLUGINS) ## Generate gen/, the tables of the clients and the descriptor set of the example
	$(BIN)/buf generate
	$(GO) run ./clients/generate
	$(BIN)/buf build $(EXAMPLE) $(BUILD_SET) -o docs/examples/acme.binpb
freeze: $(BIN)/buf ## Promise what was added to the contract; rejected when it breaks clients
	@if [ -e $(FROZEN) ]; then $(MAKE) -s breaking; fi
	$(BIN)/buf build proto --as-file-descriptor-set --exclude-source-info -o $(FROZEN)
rules: ## Write the rules of redaction again, from the version of gitleaks that redact/generate pins
	$(GO) -C redact/generate run . -o ../rules.json
	$(GO) test ./redact -run '^TestRules$$' -count=1 -args -update-compiled
	@$(GO) run ./integration/golden -tables TestDocumentedRedaction
format: $(BIN)/buf ## Format the contract and the Go code
	$(BIN)/buf format -w
	gofmt -w $$(git ls-files '*.go')

checks: ## What needs no test: check-format check-generated lint prose vet breaking dag
	$(JOB) checks $(MAKE) -s -j2 --output-sync=target check-format check-generated lint prose vet breaking dag
check-format: $(BIN)/buf ## Fail if something is not formatted, or a go.mod is not tidy
	$(BIN)/buf format -d --exit-code
	$(BIN)/buf format docs/examples/acme -d --exit-code
	@out=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$out" ] || { echo "not formatted: $$out"; exit 1; }
	@for module in $(MODULES); do $(GO) -C $$module mod tidy -diff; done
check-generated: $(PLUGINS) ## Fail if what is made from the contract, the example or the rules is not what they give
	@integration/tools/generated.sh $(FROZEN) $(EXAMPLE) $(BUILD_SET)
	$(GO) -C redact/generate run . -check ../rules.json
lint: $(BIN)/buf $(BIN)/staticcheck ## Lint the contract and the Go code
	$(BIN)/buf lint
	$(BIN)/buf lint $(EXAMPLE)
	$(BIN)/staticcheck ./...
prose: $(BIN)/vale ## Fail if documents or comments have words that the glossary replaces (integration/prose)
	$(BIN)/vale --config integration/prose/vale.ini --output line $$(integration/prose/files.sh)
vet: ## Run go vet
	$(GO) vet ./...
	$(GO) vet -tags readme,grpcnotrace,nethttpomithttp2 ./integration/readme
	$(GO) vet -tags man,grpcnotrace,nethttpomithttp2 ./cmd/toolresult
breaking: $(BIN)/buf ## Fail if the contract breaks clients of what was promised
	$(BIN)/buf breaking proto --against $(FROZEN)
dag: ## Fail if a package imports another than the table allows
	$(GO) test -count=1 ./integration/dag
programs: ## Fail if a program that the tests of faults need is missing; INSTALL=yes installs it
	@integration/setup.sh $(if $(INSTALL),install)
clean: ## Remove what was built
	rm -rf $(BIN) .run

# The tools are pinned in modules of their own (docs/adr/0001). Each is built once, and again when a pin changes.
$(TOOLS): integration/tools/go.mod integration/tools/go.sum
	@mkdir -p $(BIN)
	$(GO) -C integration/tools build -o $(CURDIR)/$@ $$(sed -n 's,^\t\(.*/$(@F)\)$$,\1,p' integration/tools/go.mod)
	@touch $@
$(BIN)/ci: $(wildcard integration/ci/*.go)
	@mkdir -p $(BIN)
	$(GO) build -o $@ ./integration/ci
$(ALWAYS) $(CHANGED) $(FULL) quick rest $(LONG_JOBS): $(BIN)/ci $(BIN)/gotestsum
$(GATEWAY): integration/tools/s3/go.mod integration/tools/s3/go.sum
	@mkdir -p $(BIN)
	$(GO) -C integration/tools/s3 build -o $(CURDIR)/$(BIN)/ tool
	@touch $@
