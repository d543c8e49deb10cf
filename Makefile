# The one way to do anything here. `make help` lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --warn-undefined-variables --no-builtin-rules
.DEFAULT_GOAL := help

GO ?= go
# No other toolchain is downloaded, and nothing asks a network once modules are there.
export GOTOOLCHAIN := local
export CGO_ENABLED ?= 1

BIN := .bin
TOOLS := $(addprefix $(BIN)/,buf grpcurl protoc-gen-go protoc-gen-go-grpc staticcheck)
# The S3 server of one leg of the integration tests. It takes minutes to build, so
# it is not among the tools that every target needs.
GATEWAY := $(BIN)/versitygw
# The families of the example, in a workspace with the contract that they import.
EXAMPLE := . --config '{"version":"v2","modules":[{"path":"proto"},{"path":"docs/examples"}]}' --path docs/examples/acme
BUILD_SET := --as-file-descriptor-set --exclude-imports --exclude-source-info
# A count, not a time: in Go 1.26 a fuzz target whose time ends while a worker
# is busy can fail with "context deadline exceeded" (go.dev/issue/75804).
FUZZTIME ?= 20000x
BENCH ?= .
BENCHTIME ?= 1s
WRITE ?=
# The tests of the store that other legs may skip, because they need root, a mount or a program.
STORE_LEGS := TestUnsafeRootsAreRejected|TestRequireStableFS|TestDamageIsNeverRead|TestFullDiskKeeps|TestTakeFile|TestFailedTakeFile|TestCompressedIsZstd
# The contract as it was promised (docs/reference/versioning.md): a descriptor set without comments. `make breaking` compares with it.
FROZEN := proto/v1.binpb

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build .bin/toolresult
	$(GO) build -o $(BIN)/toolresult ./cmd/toolresult

.PHONY: run
run: build ## Build and start the sidecar, show how to call it and one real receipt
	@mkdir -p .run; rm -f .run/address; \
	$(BIN)/toolresult serve > .run/address & sidecar=$$!; \
	trap 'kill $$sidecar 2>/dev/null || true; wait $$sidecar' EXIT; \
	until [ -s .run/address ]; do kill -0 $$sidecar 2>/dev/null || exit 1; sleep 0.1; done; \
	read -r address < .run/address; \
	echo "The sidecar serves $$address. Call it with generated clients, or:"; \
	echo; \
	echo "  $(BIN)/toolresult exec -- COMMAND                        run a command, see its receipt"; \
	echo "  $(BIN)/toolresult info                                   see what it is and what it accepts"; \
	echo "  make grpcurl && $(BIN)/grpcurl -plaintext $$address list   see its services"; \
	echo; \
	echo '$$ $(BIN)/toolresult exec --max-tokens 200 -- go list -deps ./cmd/toolresult'; \
	$(BIN)/toolresult exec --server "$$address" --max-tokens 200 -- $(GO) list -deps ./cmd/toolresult; \
	echo; echo "Ctrl-C stops it."; \
	trap 'exit 0' INT TERM; \
	wait $$sidecar

.PHONY: grpcurl
grpcurl: $(BIN)/grpcurl ## Build grpcurl, to call the sidecar by hand

.PHONY: test
test: ## Run every test that needs nothing but Go
	$(GO) test -shuffle=on ./...

.PHONY: race
race: ## Run the tests twice, shuffled, under the race detector
	$(GO) test -race -shuffle=on -count=2 -timeout 45m ./...

.PHONY: integration
integration: $(BIN)/grpcurl $(GATEWAY) ## Run the tests against the built binary on a real socket, grpcurl included
	TOOLRESULT_LEGS=all auditlog/postgres/start.sh run $(GO) test -count=1 -shuffle=on $$($(GO) list ./integration/... | grep -v /faults)

.PHONY: faults
faults: ## Kill, cut the power, fill disks: the short form of docs/reference/faults.md
	integration/faults/setup
	TOOLRESULT_LEGS=all $(GO) test -count=1 -shuffle=on -parallel 4 -timeout 20m -v ./integration/faults ./auditlog/sqlite
	TOOLRESULT_LEGS=all $(GO) test -count=1 -run '$(STORE_LEGS)' ./artifactstore/dir

.PHONY: postgres
postgres: ## Run the audit log against a PostgreSQL server of its own: the contract, kills, lost connections
	TOOLRESULT_LEGS=all auditlog/postgres/start.sh run $(GO) test -count=1 -shuffle=on -timeout 10m -v ./auditlog/postgres

.PHONY: faults-long
faults-long: faults-crashes ## The same for hours; the counts go to .run/faults.txt and .run/crashes.txt
	@rm -f .run/faults.txt
	TOOLRESULT_LEGS=all TOOLRESULT_FAULTS_UPLOADS=10000 TOOLRESULT_FAULTS_STEPS=1 \
	TOOLRESULT_FAULTS_ARTIFACTS=1000000 TOOLRESULT_FAULTS_MEGABYTES=1024 TOOLRESULT_FAULTS_TOTALS=$(CURDIR)/.run/faults.txt \
		$(GO) test -count=1 -timeout 6h -v -skip '$(CRASHES)' ./integration/faults
	TOOLRESULT_FAULTS_STEPS=1 $(GO) test -count=1 -timeout 3h -v -run TestTornLogKeepsWholeRecords ./auditlog/sqlite
	@cat .run/faults.txt

# Sittings add up in .run/crashes.txt until there are KILLS and CUTS; one that is broken off counts what it finished.
KILLS ?= 10000
CUTS ?= 3000
LEDGER ?= $(CURDIR)/.run/crashes.txt
CRASHES = ^(TestKilledAtRandom|TestSidecarKilledAtRandom|TestKilledWhileCollecting|TestPowerCuts.*)$$
CRASHED = awk -F '[ =]' '$$1 == "leg" {n[$$2]++; for (i = 3; i < NF; i += 2) {by[$$2, $$i] += $$(i + 1); all[$$i] += $$(i + 1)}}

.PHONY: faults-crashes
faults-crashes: ## KILLS by kill -9 and power CUTS, in sittings; .run/crashes.txt adds up
	integration/faults/setup
	@mkdir -p .run; touch $(LEDGER)
	$(GO) test -c -o .run/crashes.test ./integration/faults
	@set -e; while :; do \
		set -- $$($(CRASHED) END {print all["kills"] + 0, all["cuts"] + 0}' $(LEDGER)); \
		legs=; [ "$$1" -ge $(KILLS) ] || legs='Killed'; [ "$$2" -ge $(CUTS) ] || legs="$${legs:+$$legs|}PowerCuts"; \
		[ -n "$$legs" ] || break; \
		(cd integration/faults && TOOLRESULT_LEGS=all TOOLRESULT_FAULTS_ROUNDS=500 TOOLRESULT_FAULTS_CUTS=150 \
			TOOLRESULT_FAULTS_TOTALS=$(LEDGER) $(CURDIR)/.run/crashes.test -test.timeout 3h \
			-test.run "^Test(Sidecar)?($$legs)" -test.skip EverySystemCall > $(CURDIR)/.run/crashes.log 2>&1) || { cat .run/crashes.log; exit 1; }; \
	done
	@$(MAKE) -s faults-totals

.PHONY: faults-totals
faults-totals: ## What the sittings of faults-crashes add up to, as docs/reference/faults.md has it
	@echo '| leg | kills | cuts | artifacts | records | lost | torn | minutes |'; echo '| --- | --- | --- | --- | --- | --- | --- | --- |'
	@$(CRASHED) function row(name, v) {printf "| %s | %d | %d | %d | %d | %d | %d | %.0f |\n", name, v["kills"], v["cuts"], v["artifacts"], v["records"], v["lost"], v["torn"], v["seconds"] / 60} \
		END {for (leg in n) {split("", v); for (k in all) v[k] = by[leg, k]; row("`" leg "`", v)} row("together", all)}' $(LEDGER) | sort

.PHONY: mutants
mutants: ## Take one safety measure out after the other; its test must fail
	TOOLRESULT_LEGS=all $(GO) test -count=1 -timeout 20m -v ./integration/faults/mutants

# Sittings add up: each goes on behind the last case of the ledger, up to CASES of a SEED.
CASES ?= 100000000
SEED ?= 1
FROM ?= $(shell sed -n 's/.*"seed":$(SEED),"from":\([0-9]*\),"cases":\([0-9]*\).*/\1 \2/p' .run/sealing.txt 2>/dev/null | awk '$$1 + $$2 > n {n = $$1 + $$2} END {printf "%d", n}')
FUZZ ?= 1000000x
WORKERS ?= 0

.PHONY: sealing
sealing: ## Attack receipts: CASES generated, FUZZ guided by coverage; .run/sealing.txt adds up
	@mkdir -p .run; commit=$$(git describe --always --dirty); from=$(FROM); \
	if [ "$$from" -lt $(CASES) ]; then \
		GOGC=400 $(GO) test -count=1 -timeout 0 ./server -run '^TestSealing$$' -v -sealing.seed $(SEED) -sealing.from "$$from" \
			-sealing.cases $$(($(CASES) - from)) -sealing.workers $(WORKERS) -sealing.ledger $(CURDIR)/.run/sealing.txt -sealing.commit "$$commit"; \
	fi; \
	GOGC=400 $(GO) test -timeout 0 ./server -run '^$$' -fuzz '^FuzzSealing$$' -fuzztime $(FUZZ) -fuzzminimizetime 20x | tee .run/sealing-fuzz.txt; \
	fuzzed=$$(sed -n 's/.*execs: \([0-9]*\).*/\1/p' .run/sealing-fuzz.txt | tail -n 1); \
	echo "{\"commit\":\"$$commit\",\"fuzzed\":$${fuzzed:-0}}" >> .run/sealing.txt; \
	$(GO) test -count=1 ./server -run '^TestSealingLedger$$' -v -sealing.ledger $(CURDIR)/.run/sealing.txt

OUTPUTS ?= 1000000
OUTPUTS_FROM ?= 0

.PHONY: anyoutput
anyoutput: ## Attack with OUTPUTS outputs of any family: none refused, none over budget, nothing invented; .run/anyoutput.txt adds up
	@mkdir -p .run
	$(GO) test -count=1 -timeout 24h -v ./integration/anyoutput -anyoutput.cases $(OUTPUTS) -anyoutput.from $(OUTPUTS_FROM) \
		-anyoutput.seed $(SEED) -anyoutput.ledger $(CURDIR)/.run/anyoutput.txt

CALLS ?= 1000000

.PHONY: soak
soak: ## CALLS calls by clients that are killed and frozen; what grows is an error; .run/soak.txt has the numbers
	@mkdir -p .run
	TOOLRESULT_LEGS=all TOOLRESULT_SOAK_CALLS=$(CALLS) TOOLRESULT_SOAK_TOTALS=$(CURDIR)/.run/soak.txt \
		$(GO) test -count=1 -timeout 24h -v ./integration/soak

.PHONY: tokens
tokens: ## Hold the exact token counters against the reference, and time them
	@[ -n "$${TOOLRESULT_CORPUS:-}" ] || [ -d ../shared/corpus ] || echo "NO CORPUS: nothing of it will be compared"
	cd integration/tokens && $(GO) vet ./... && $(GO) test -count=1 -v . -rapid.checks 20000

.PHONY: providers
providers: ## Send fixtures through the providers' own SDKs to a mock that checks their schemas; WRITE=yes writes the table
	cd integration/providers && $(GO) vet ./... && \
		TOOLRESULT_LEGS=all $(GO) test -count=1 -v . $(if $(WRITE),-args -document $(CURDIR)/docs/reference/transports.md)

.PHONY: readme
readme: $(BIN)/grpcurl ## Run every code block of the README, as a reader would
	$(GO) test -count=1 -timeout 30m -tags readme -v ./integration/readme

.PHONY: golden
golden: $(BIN)/grpcurl ## Write golden files and the tables of the documents again; review the diff
	-$(GO) test -count=1 ./integration -run 'TestGolden|TestEarlierRecords' -update
	-$(GO) test -count=1 ./integration -run TestDocumented -update
	-$(GO) test -count=1 ./transports ./transports/streams -run 'TestTurns|TestStreams$$' -update
	-$(GO) test -count=1 ./integration/conformance -update
	git --no-pager diff --stat

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME (20000x: so many inputs)
	@for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "== $$pkg $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s $$pkg; \
		done; \
	done

.PHONY: bench
bench: ## Run the benchmarks; BENCH selects, BENCHTIME sets the time of each
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -benchmem ./...

.PHONY: eval
eval: ## Score receipts of real outputs with known answers; docs/evaluation.md has the results
	TOOLRESULT_LEGS=all $(GO) test -count=1 -v ./integration/eval -args -document $(CURDIR)/docs/evaluation.md

.PHONY: generate
generate: $(TOOLS) ## Make gen/ and the descriptor set of the example again
	$(BIN)/buf generate
	$(BIN)/buf build $(EXAMPLE) $(BUILD_SET) -o docs/examples/acme.binpb

.PHONY: freeze
freeze: $(BIN)/buf ## Promise what was added to the contract; refused when it breaks clients
	@if [ -e $(FROZEN) ]; then $(MAKE) -s breaking; fi
	$(BIN)/buf build proto --as-file-descriptor-set --exclude-source-info -o $(FROZEN)

.PHONY: check-generated
check-generated: $(TOOLS) ## Fail if gen/, the example, the promised contract or the rules of redaction are not what they are made from
	@tmp=$$(mktemp -d); trap 'rm -rf "$$tmp"' EXIT; \
	$(BIN)/buf generate -o "$$tmp"; \
	diff -r gen "$$tmp/gen"; \
	$(BIN)/buf build $(EXAMPLE) $(BUILD_SET) -o "$$tmp/acme.binpb"; \
	cmp docs/examples/acme.binpb "$$tmp/acme.binpb"; \
	$(BIN)/buf build proto --as-file-descriptor-set --exclude-source-info -o "$$tmp/v1.binpb"; \
	cmp $(FROZEN) "$$tmp/v1.binpb" || { echo "the contract has what $(FROZEN) has not: run make freeze"; exit 1; }; \
	echo "gen/ is what proto/ gives, and so are the example and the promised contract"
	$(GO) -C redact/generate run . -check ../rules.json

.PHONY: rules
rules: ## Write the rules of redaction again, from the version of gitleaks that redact/generate pins
	$(GO) -C redact/generate run . -o ../rules.json
	-$(GO) test -count=1 ./integration -run TestDocumentedRedaction -update
	git --no-pager diff --stat

.PHONY: lint
lint: $(TOOLS) ## Lint the contract and the Go code
	$(BIN)/buf lint
	$(BIN)/buf lint $(EXAMPLE)
	$(BIN)/staticcheck ./...

.PHONY: vet
vet: ## Run go vet
	$(GO) vet ./...
	$(GO) vet -tags readme ./integration/readme

.PHONY: format
format: $(TOOLS) ## Format the contract and the Go code
	$(BIN)/buf format -w
	gofmt -w $$(git ls-files '*.go')

.PHONY: check-format
check-format: $(TOOLS) ## Fail if something is not formatted, or go.mod is not tidy
	$(BIN)/buf format -d --exit-code
	$(BIN)/buf format docs/examples/acme -d --exit-code
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "not formatted:"; echo "$$out"; exit 1; fi
	$(GO) mod tidy -diff
	$(GO) -C integration/tools mod tidy -diff
	$(GO) -C integration/tokens mod tidy -diff
	$(GO) -C integration/providers mod tidy -diff
	$(GO) -C redact/generate mod tidy -diff

.PHONY: breaking
breaking: $(BIN)/buf ## Fail if the contract breaks clients of what was promised
	$(BIN)/buf breaking proto --against $(FROZEN)

.PHONY: dag
dag: ## Fail if a package imports what its room may not
	$(GO) test -count=1 ./integration/dag

# The modules that this one is measured beside, from the module mirror.
HOUSES := oras.land/oras-go/v2@v2.7.0 connectrpc.com/connect@v1.21.1

.PHONY: house
house: ## Measure this module beside two that are liked; writes docs/house.md
	$(GO) run ./integration/house -document docs/house.md . $(HOUSES)

.PHONY: ci
ci: check-format check-generated lint vet breaking dag race tokens providers eval integration faults postgres mutants fuzz readme ## Everything that CI runs
	@echo "ci: every leg ran"

.PHONY: clean
clean: ## Remove what was built
	rm -rf $(BIN) .run

# The tools are pinned in a module of their own (docs/adr/0001). They are built
# once, and again when a pin changes.
$(TOOLS): integration/tools/go.mod integration/tools/go.sum
	@mkdir -p $(BIN)
	$(GO) -C integration/tools build -o $(CURDIR)/$(BIN)/ $$($(GO) -C integration/tools list tool | grep -v versitygw)
	@touch $(TOOLS)

$(GATEWAY): integration/tools/go.mod integration/tools/go.sum
	@mkdir -p $(BIN)
	$(GO) -C integration/tools build -o $(CURDIR)/$(BIN)/ github.com/versity/versitygw/cmd/versitygw
	@touch $@
