# Packages of a release: what CI installs, and what a release has here.

RELEASER := $(addprefix $(BIN)/,goreleaser cyclonedx-gomod)
# Empty: all platforms; linux: those alone.
PLATFORMS ?=

packages: ## Install deb and rpm in a clean Debian, start the units' command as systemd does, remove them without a trace
	@packaging/setup.sh $(if $(INSTALL),install)
	cd packaging && $(GO) vet ./...
	$(KEEP) packages $(JOB) -all packages env GOFLAGS=-trimpath $(GO) -C packaging test -count=1 -timeout 10m .
release-snapshot: $(RELEASER) ## Build everything that a release has into .bin/dist, twice, and compare; PLATFORMS=linux leaves macOS out
	$(GO) -C packaging/tools/goreleaser mod tidy -diff
	packaging/snapshot.sh $(PLATFORMS)

$(BIN)/cyclonedx-gomod: packaging/tools/go.mod packaging/tools/go.sum
	@mkdir -p $(BIN)
	CGO_ENABLED=0 GOFLAGS=-trimpath $(GO) -C packaging/tools build -o $(CURDIR)/$(BIN)/ tool
	@touch $@
$(BIN)/goreleaser: packaging/tools/goreleaser/go.mod packaging/tools/goreleaser/go.sum
	@mkdir -p $(BIN)
	CGO_ENABLED=0 GOFLAGS=-trimpath $(GO) -C packaging/tools/goreleaser build -o $(CURDIR)/$(BIN)/ tool
	@touch $@
