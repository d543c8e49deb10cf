package mutants_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mutant is one safety measure that is taken out.
type mutant struct {
	name     string
	file     string // relative to the root of the module
	old, new string // old stands exactly once in the file
	killer   string // PACKAGE.TEST that must fail
	env      string // what the test is told, if anything
}

const (
	store  = "artifactstore"
	books  = "artifactstore/library"
	legs   = "integration/faults"
	kernel = legs + ".TestKernelSeesTheOrder"
	cuts   = legs + ".TestPowerCuts/ext4"
)

// mutants is the table. Order: durability, reading, start and lock, space, links and modes, the server.
var mutants = []mutant{
	{"a file is not synced", "artifactstore/dir_temp.go", "t.dir.fault.do(stepSyncTemp, t.file.Sync)", "t.dir.fault.do(stepSyncTemp, func() error { return nil })", kernel, ""},
	{"a file is not synced, and the power fails", "artifactstore/dir_temp.go", "t.dir.fault.do(stepSyncTemp, t.file.Sync)", "t.dir.fault.do(stepSyncTemp, func() error { return nil })", cuts, "TOOLRESULT_FAULTS_CUTS=100"},
	{"a directory is not synced", "artifactstore/dir_files.go", "return dir.Sync()", "return nil", kernel, ""},
	{"a directory is not synced, and the power fails", "artifactstore/dir_files.go", "return dir.Sync()", "return nil", cuts, "TOOLRESULT_FAULTS_CUTS=200"},
	{"a new shard is not synced", "artifactstore/dir_put.go", "sh.unsynced = sh.unsynced || created", "_ = created", store + ".TestDurabilityOrder", ""},
	{"the first start is not synced", "artifactstore/format.go", "if err := name(t); err != nil {\n\t\treturn err\n\t}\n\treturn d.syncDir(stepSyncRoot, \".\")", "return name(t)", store + ".TestDurabilityOrder", ""},
	{"the parents are not synced", "artifactstore/dir.go", "if err := d.syncParents(); err != nil {", "if err := error(nil); err != nil {", store + ".TestDurabilityOrder", ""},
	{"what is found is not synced", "artifactstore/dir_put.go", "err = d.fault.do(stepSyncStored, f.file.Sync)", "err = nil", store + ".TestStoredArtifactIsSyncedBeforeItIsReused", ""},
	{"the answer comes before the put", "artifactstore/dir_put.go", "return d.putBytes(ctx, b)", "go d.putBytes(context.Background(), b); return d.ref(contentOf(b).hex()[:8], contentOf(b)), nil", store + ".TestEveryStepOfPutFails", ""},
	{"an artifact replaces another", "artifactstore/dir_put.go", "return d.root.Link(path, location(name))", "return d.root.Rename(path, location(name))", store + ".TestDamage", ""},
	{"a failed sync is passed over", "artifactstore/dir_temp.go", "if err := t.sync(); err != nil {\n\t\t\treturn err", "if err := t.sync(); err != nil {\n\t\t\treturn nil", store + ".TestEveryStepOfPutFails", ""},
	{"a failed sync is tried again", "artifactstore/dir_stage.go", "s.fail(err) // a failed fsync is final", "_ = err", store + ".TestFailedSyncIsFinalForASealedBlob", ""},
	{"an unsynced name stays", "artifactstore/dir_put.go", "return d.root.Remove(location(name))", "return nil", store + ".TestEveryStepOfPutFails", ""},
	{"an unsynced name is vouched for", "artifactstore/dir_put.go", "sh.doubtful[name] = struct{}{}", "_ = name", store + ".TestUnsyncedNameIsNotReused", ""},
	{"an interrupted step is refused", "artifactstore/step.go", "case !errors.Is(err, syscall.EINTR):", "case !errors.Is(err, syscall.ENOTBLK):", store + ".TestInterruptedStepIsRepeated", ""},

	{"a digest is not compared", "artifactstore/dir_read.go", "if err == nil && !strings.HasPrefix(c.hex(), name) {", "if false {", store + ".TestBitFlips", ""},
	{"a block is not compared", "artifactstore/pages.go", "if crc32.ChecksumIEEE(p.block) != p.index.sum(at) {", "if crc32.ChecksumIEEE(nil) == 1 {", legs + ".TestDamagedArtifacts", ""},
	{"the size of an artifact is not compared", "artifactstore/dir_index.go", "i.content.size == f.size", "f != nil", legs + ".TestDamagedArtifacts", ""},
	{"any index will do", "artifactstore/dir_index.go", "!strings.HasPrefix(i.content.hex(), name)", `strings.HasPrefix(name, "x")`, legs + ".TestDamagedArtifacts", ""},
	{"a payload may be shorter than it says", "artifactstore/blob.go", "if total < size {", "if false {", store + ".TestContract", ""},
	{"a payload may be longer than it says", "artifactstore/blob.go", "total > size {", "false {", store + ".TestContract", ""},

	{"the lock is not taken", "artifactstore/lock.go", "func() error { return flock(f) }", "func() error { return nil }", store + ".TestLockedByAnotherProcess", ""},
	{"a lock file that was replaced will do", "artifactstore/lock.go", "err = d.sameLockFile(f)", "err = nil", store + ".TestLockFileRaces", ""},
	{"the sweep removes everything", "artifactstore/dir.go", "if !isTempName(entry.Name()) || !entry.Type().IsRegular() {", "if false {", store + ".TestSweepLeavesWhatItDidNotWrite", ""},
	{"the sweep removes nothing", "artifactstore/dir.go", "return d.tmp.Remove(entry.Name())", "return nil", store + ".TestKilledHolderIsSwept", ""},
	{"a store of the future is opened", "artifactstore/format.go", "says > formatVersion {", "false {", store + ".TestFormat", ""},

	{"a failed put leaves its file", "artifactstore/dir_temp.go", "return t.dir.tmp.Remove(name)", "_ = name; return nil", store + ".TestTempIsGoneAtOnce", ""},
	{"a failed stage leaves its file", "artifactstore/dir_stage.go", "return s.temp.release()\n", "return nil\n", store + ".TestFailedStageWriteEndsIt", ""},
	{"a full disk has no name", "artifactstore/errors.go", "case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):", "case false:", store + ".TestErrnosHaveSentinels", ""},

	{"a link to a shard is followed", "artifactstore/dir_read.go", "if err == nil && !shardInfo.IsDir() {", "if err == nil && shardInfo == nil {", store + ".TestPlantedShard", ""},
	{"a shard may be anything", "artifactstore/dir_files.go", "if !info.IsDir() || ownerOf(info) != d.uid {", "if false {", store + ".TestPlantedShard", ""},
	{"a file of another will do", "artifactstore/dir_files.go", "return info.Mode().IsRegular() && ownerOf(info) == d.uid", "return info.Mode().IsRegular()", store + ".TestDamage", ""},
	{"an artifact can be written to", "artifactstore/dir.go", "artifactMode os.FileMode = 0o400", "artifactMode os.FileMode = 0o600", store + ".TestUmask", ""},
	{"the umask decides", "artifactstore/dir_temp.go", "return t.file.Chmod(tempMode)", "return nil", store + ".TestUmask", ""},

	{"a claim does not look", "artifactstore/library/put.go", "if !has {", "if !has && ref.Name == \"\" {", books + ".TestDeletedBeforeTheClaim", ""},
	{"a lease protects nothing", "artifactstore/library/entries.go", "AND s.leased_until > ?1)`", "AND s.leased_until < ?1)`", books + ".TestAgeAndLeases", ""},
	{"a deletion is not finished", "artifactstore/library/collect.go", "if !dry && l.unfinished.Swap(false) {", "if false {", books + ".TestInterruptedDeletion", ""},
	{"time goes back", "artifactstore/library/library.go", "t.After(l.floor)", "!t.IsZero()", books + ".TestBooksStay", ""},
	{"a quota is not asked", "artifactstore/library/put.go", "total <= l.rules.Quota {", "total > 0 {", books + ".TestQuotas", ""},
	{"the books are not synced, and the power fails", "artifactstore/library/books.go", "PRAGMA synchronous = FULL", "PRAGMA synchronous = OFF", legs + ".TestPowerCutsWhileCollecting/ext4", "TOOLRESULT_FAULTS_CUTS=200"},
	{"a log is not cut back", "artifactstore/dir_log.go", "_ = w.file.Truncate(l.durable.size)", "_ = synced", store + ".TestFailedSyncOfALogIsFinal", ""},
	{"a failed sync of a log is passed over", "artifactstore/dir_log.go", "w.fail(err, synced)\n\t\treturn l.durable.size, l.failed", "return now.size, nil", store + ".TestFailedSyncOfALogIsFinal", ""},

	{"an abandoned upload stays", "server/stream.go", "defer a.end()", "_ = a.end", legs + ".TestAbandonedUploads", "TOOLRESULT_FAULTS_UPLOADS=20"},
	{"a server that drains lets calls in", "server/server.go", "s.calls.draining.Store(true)", "", legs + ".TestTerminatedWithOpenUploads", ""},
}

// TestEveryMutantDies runs each killer with its mutant. That it passes without one is what the rest of CI says.
func TestEveryMutantDies(t *testing.T) {
	if os.Getenv("TOOLRESULT_LEGS") != "all" {
		t.Skip("leg skipped: `make mutants` runs it")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			out, err := runKiller(root, overlay(t, root, m), m)
			switch {
			case err == nil:
				t.Errorf("it survives %s:\n%s", m.killer, out)
			case !strings.Contains(out, "--- FAIL") && !strings.Contains(out, "panic: "):
				t.Errorf("nothing was tested: %v\n%s", err, out)
			}
		})
	}
}

// overlay writes the mutated file, and the file that tells the go command of it.
func overlay(t *testing.T, root string, m mutant) string {
	t.Helper()
	path := filepath.Join(root, m.file)
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(source), m.old); n != 1 {
		t.Fatalf("%s has %q %d times: the table is to follow the source", m.file, m.old, n)
	}
	dir := t.TempDir()
	mutated, description := filepath.Join(dir, "mutated.go"), filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]map[string]string{"Replace": {path: mutated}})
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string]string{mutated: strings.Replace(string(source), m.old, m.new, 1), description: string(text)} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return description
}

// runKiller runs one test. Binaries that the test itself builds get the overlay too.
func runKiller(root, overlay string, m mutant) (string, error) {
	dir, test, _ := strings.Cut(m.killer, ".")
	args := []string{"test", "-count=1", "-vet=off", "-failfast", "-timeout=3m", "-run", "^" + strings.ReplaceAll(test, "/", "$/^") + "$", "./" + dir}
	if dir == store {
		args = append(args, "-rapid.nofailfile") // what a mutant fails on is nothing to try again
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "TOOLRESULT_LEGS=all", "GOFLAGS=-overlay="+overlay, m.env)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
