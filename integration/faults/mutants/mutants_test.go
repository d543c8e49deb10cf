package mutants_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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
	store   = "artifactstore/dir"
	indexed = "artifactstore/catalog"
	legs    = "integration/faults"
	kernel  = legs + ".TestKernelSeesTheOrder"

	database = "auditlog/postgres"
	auditing = "auditlog/local"
	recorded = legs + ".TestRecordFollowsTheArtifact"
	broken   = legs + ".TestErrorsOfTheKernelAtTheAuditLog"
	cuts     = legs + ".TestPowerCuts/ext4"
	seal     = "server/families.TestSealing"
	wire     = "integration.TestFaults/cases/"
	hidden   = "integration.TestSomeSecrets"
	rpcTests = "server/rpc."
)

// mutants is the table. Order: durability, reading, start and lock, space, links and modes, catalog and logs, records, the server, sealing, secrets.
var mutants = []mutant{
	{"a file is not synced", "artifactstore/dir/temp.go", "t.dir.fault.do(stepSyncTemp, t.file.Sync)", "t.dir.fault.do(stepSyncTemp, func() error { return nil })", kernel, ""},
	{"a file is not synced, and the power fails", "artifactstore/dir/temp.go", "t.dir.fault.do(stepSyncTemp, t.file.Sync)", "t.dir.fault.do(stepSyncTemp, func() error { return nil })", cuts, "TOOLRESULT_FAULTS_CUTS=500"},
	{"a directory is not synced", "artifactstore/dir/files.go", "return dir.Sync()", "return nil", kernel, ""},
	{"a directory is not synced, and the power fails", "artifactstore/dir/files.go", "return dir.Sync()", "return nil", cuts, "TOOLRESULT_FAULTS_CUTS=1000"},
	{"a new shard is not synced", "artifactstore/dir/put.go", "sh.unsynced = sh.unsynced || created", "_ = created", store + ".TestDurabilityOrder", ""},
	{"the first start is not synced", "artifactstore/dir/format.go", "return d.syncDir(stepSyncRoot, \".\")", "return nil", store + ".TestDurabilityOrder", ""},
	{"the parents are not synced", "artifactstore/dir/store.go", "if err := d.syncParents(); err != nil {", "if err := error(nil); err != nil {", store + ".TestDurabilityOrder", ""},
	{"what is found is not synced", "artifactstore/dir/put.go", "err = d.fault.do(stepSyncStored, f.Sync)", "err = nil", store + ".TestStoredArtifactIsSyncedBeforeItIsReused", ""},
	{"the answer comes before the put", "artifactstore/dir/put.go", "return d.putBytes(ctx, b)", "go d.putBytes(context.Background(), b); return d.ref(content.Sum(b).Hex()[:8], content.Sum(b)), nil", store + ".TestEveryStepOfPutFails", ""},
	{"an artifact replaces another", "artifactstore/dir/put.go", "return d.root.Link(path, location(name))", "return d.root.Rename(path, location(name))", store + ".TestDamageIsNeverRead", ""},
	{"a failed sync is passed over", "artifactstore/dir/temp.go", "if err := t.sync(); err != nil {\n\t\t\treturn err", "if err := t.sync(); err != nil {\n\t\t\treturn nil", store + ".TestEveryStepOfPutFails", ""},
	{"a failed sync is tried again", "artifactstore/dir/stage.go", "s.fail(err) // a failed fsync is final", "_ = err", store + ".TestFailedSyncIsFinalForASealedBlob", ""},
	{"an unsynced name stays", "artifactstore/dir/put.go", "return d.root.Remove(location(name))", "return nil", store + ".TestEveryStepOfPutFails", ""},
	{"an unsynced name is reused", "artifactstore/dir/put.go", "sh.failed[name] = struct{}{}", "_ = name", store + ".TestUnsyncedNameIsNotReused", ""},
	{"an interrupted step is refused", "artifactstore/dir/step.go", "case !errors.Is(err, syscall.EINTR):", "case !errors.Is(err, syscall.ENOTBLK):", store + ".TestInterruptedStepIsRepeated", ""},

	{"a digest is not compared", "artifactstore/dir/read.go", "if err == nil && !strings.HasPrefix(c.Hex(), name) {", "if false {", store + ".TestBitFlipsAreFound", ""},
	{"a block is not compared", "artifactstore/pages.go", "if crc32.ChecksumIEEE(p.block) != p.index.Sum(at) {", "if crc32.ChecksumIEEE(nil) == 1 {", legs + ".TestDamagedArtifacts", ""},
	{"the size of an artifact is not compared", "artifactstore/dir/read.go", "i.Content.Size == size", "size >= 0", legs + ".TestDamagedArtifacts", ""},
	{"any index will do", "artifactstore/dir/read.go", "!strings.HasPrefix(i.Content.Hex(), name)", `strings.HasPrefix(name, "x")`, legs + ".TestDamagedArtifacts", ""},
	{"a payload may be shorter than it says", "artifactstore/blob.go", "if total < size {", "if false {", store + ".TestContract", ""},
	{"a payload may be longer than it says", "artifactstore/blob.go", "total > size {", "false {", store + ".TestContract", ""},

	{"the lock is not taken", "artifactstore/dir/lock.go", "func() error { return flock(f) }", "func() error { return nil }", store + ".TestLockedByAnotherProcess", ""},
	{"a lock file that was replaced will do", "artifactstore/dir/lock.go", "err = d.sameLockFile(f)", "err = nil", store + ".TestReplacedLockFileIsNotTaken", ""},
	{"the sweep removes everything", "artifactstore/dir/store.go", "if !isTempName(entry.Name()) || !entry.Type().IsRegular() {", "if false {", store + ".TestSweepLeavesWhatItDidNotWrite", ""},
	{"the sweep removes nothing", "artifactstore/dir/store.go", "return d.tmp.Remove(entry.Name())", "return nil", store + ".TestKilledHolderIsSwept", ""},
	{"a store of another version is taken for a damaged one", "artifactstore/dir/format.go", "says > 0 && says != formatVersion {", "false {", store + ".TestUnknownFormatIsRejected", ""},

	{"a failed put leaves its file", "artifactstore/dir/temp.go", "return t.dir.tmp.Remove(name)", "_ = name; return nil", store + ".TestFailedPutFreesItsSpace", ""},
	{"a failed stage leaves its file", "artifactstore/dir/stage.go", "return s.temp.release()\n", "return nil\n", store + ".TestFailedStageWriteEndsIt", ""},
	{"a full disk has no name", "artifactstore/errors.go", "case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):", "case false:", store + ".TestErrnosHaveSentinels", ""},

	{"a link to a shard is followed", "artifactstore/dir/read.go", "if err == nil && !shardInfo.IsDir() {", "if err == nil && shardInfo == nil {", store + ".TestPlantedShardIsNotFollowed", ""},
	{"a shard may be anything", "artifactstore/dir/files.go", "if !info.IsDir() || fileOwner(info) != d.uid {", "if false {", store + ".TestPlantedShardIsNotFollowed", ""},
	{"a file of another will do", "artifactstore/dir/files.go", "return info.Mode().IsRegular() && fileOwner(info) == d.uid", "return info.Mode().IsRegular()", store + ".TestDamageIsNeverRead", ""},
	{"an artifact can be written to", "artifactstore/dir/store.go", "artifactMode os.FileMode = 0o400", "artifactMode os.FileMode = 0o600", store + ".TestUmaskDoesNotMatter", ""},
	{"the umask decides", "artifactstore/dir/temp.go", "return t.file.Chmod(tempMode)", "return nil", store + ".TestUmaskDoesNotMatter", ""},

	{"a claim does not look", "artifactstore/catalog/put.go", "if !has {", "if !has && ref.Name == \"\" {", indexed + ".TestDeletedBeforeClaimIsPutAgain", ""},
	{"a lease protects nothing", "artifactstore/catalog/entries.go", "AND s.leased_until > ?1)`", "AND s.leased_until < ?1)`", indexed + ".TestLeaseKeepsArtifactOfAnyAge", ""},
	{"a deletion is not finished", "artifactstore/catalog/collect.go", "if !dry && c.unfinished.Swap(false) {", "if false {", indexed + ".TestInterruptedDeletionIsFinished", ""},
	{"time goes back", "artifactstore/catalog/clock.go", "t.After(k.floor)", "!t.IsZero()", indexed + ".TestReopenedCatalogKeepsTime", ""},
	{"a quota is not asked", "artifactstore/catalog/put.go", "used <= c.options.Quota || c.options.Quota == 0 {", "used > 0 {", indexed + ".TestQuotaRejectsBeforeFirstByte", ""},
	{"the journal is not synced, and the power fails", "internal/journal/sync_linux.go", "err := unix.Fdatasync(int(f.Fd()))\n", "err := error(nil)\n", legs + ".TestPowerCutsWhileCollecting/ext4", "TOOLRESULT_FAULTS_CUTS=200"},
	{"a log is not cut back", "artifactstore/dir/log_append.go", "_ = w.file.Truncate(l.durable.size)", "_ = synced", store + ".TestFailedSyncOfLogIsFinal", ""},
	{"a failed sync of a log is passed over", "artifactstore/dir/log_append.go", "w.fail(err, synced)\n\t\treturn l.durable.size, l.failed", "return now.size, nil", store + ".TestFailedSyncOfLogIsFinal", ""},

	{"a record is not synced", "internal/journal/sync_linux.go", "err := unix.Fdatasync(int(f.Fd()))\n", "err := error(nil)\n", recorded, ""},
	{"a commit is not synced", "internal/journal/commit.go", "err = g.file.Sync()\n\tif err == nil {\n\t\terr = g.file.Present", "err = error(nil)\n\tif err == nil {\n\t\terr = g.file.Present", "internal/journal.TestPowerCuts", ""},
	{"a record comes before its artifact is durable", "artifactstore/dir/files.go", "return dir.Sync()", "return nil", recorded, ""},
	{"a caller does not wait for the commit", "internal/journal/commit.go", "<-p.done\n\treturn p.err", "return nil", recorded, ""},
	{"a small artifact has its name before its record", "artifactstore/catalog/transaction.go", "a, claim := t.entries()\n", "a, claim := t.entries()\n\tif err := t.keep(); err != nil {\n\t\treturn err\n\t}\n", recorded, ""},
	{"a missing end is passed over", "internal/index/database.go", "case number > tip.Number:", "case false:", "internal/index.TestLostEnd", ""},
	{"retention moves no anchor", "internal/journal/retire.go", "st.anchor = Tip{Number: until}", "_ = until", "internal/journal.TestRetire", ""},
	{"a request has two records", "auditlog/local/requests.go", "if other.part == r.GetPart() && (other.number == 0 || other.number > anchor) {", "if other.part == r.GetPart() && other.number > 1<<60 {", auditing + ".TestLog", ""},
	{"a failed journal is written to", "internal/journal/commit.go", "if failure := j.failure.Load(); failure != nil {\n\t\t\tfor", "if failure := j.failure.Load(); failure != nil && false {\n\t\t\tfor", "internal/journal.TestDiskErrors", ""},
	{"a failed log is healthy", "server/server.go", "ToolResultService_ServiceDesc.ServiceName, healthpb.HealthCheckResponse_NOT_SERVING", "ToolResultService_ServiceDesc.ServiceName, healthpb.HealthCheckResponse_SERVING", broken + "/journal/segments/.*fdatasync_EIO", ""},
	{"a request is not looked up", "server/recorder/requests.go", "if earlier, err = q.find(ctx, r); err != nil {", "if err != nil {", "server/recorder.TestRequestIsAnsweredOnce", ""},
	{"an id may have two requests", "server/recorder/requests.go", "earlier[0].GetRequestDigest() != r.digest", "len(earlier) == 0", legs + ".TestKilledBetweenRecordAndAnswer", ""},
	{"the answer comes before the record", "server/pipeline/project.go", "if earlier, err = p.requests.Append(ctx, request, out.puts, record); err != nil {", "go func() { _, _ = p.requests.Append(context.WithoutCancel(ctx), request, out.puts, record) }()\n\tif err != nil {", legs + ".TestLogIsFullAndTheArtifactFits", ""},
	{"a full disk takes no notice", "internal/journal/keeper.go", "!k.onReserve() || p.notice ||", "!k.onReserve() ||", "internal/journal.TestFullDisk", ""},
	{"others read the log", "internal/sqlitedb/sqlitedb.go", "errors.Join(f.Chmod(0o600), f.Close())", "errors.Join(f.Chmod(0o644), f.Close())", legs + ".TestOthersCannotReadTheLog", ""},
	{"others read the journal", "internal/journal/disk.go", "err = f.Chmod(writeMode) // whatever the umask", "err = f.Chmod(0o644) // whatever the umask", legs + ".TestOthersCannotReadTheLog", ""},

	{"another process sends on", "auditlog/postgres/send.go", "case writer != l.writer:", "case false:", database + ".TestTakenOverLogEndsAppends", ""},
	{"how far the database is is not read again", "auditlog/postgres/send.go", "l.note(func() { l.sent = head })", "l.note(func() {\n\t\tif l.sent.Number == 0 {\n\t\t\tl.sent = head\n\t\t}\n\t})", database + ".TestCutConnectionsAppendOnce", ""},
	{"a missing end of the database is passed over", "auditlog/postgres/send.go", "uint64(last) < head.Number", "false", database + ".TestServerMeetsContract", ""},
	{"what was not sent is given up", "auditlog/postgres/send.go", "l.local.GiveUp(l.stop, s.until)", "l.local.GiveUp(l.stop, l.journal.Tip(journal.Records).Number)", database + ".TestJournalGivesUpWhatWasSent", ""},
	{"the outbox has no bound", "auditlog/postgres/append.go", "case l.pending >= limit && l.unsent() > 0:", "case l.pending >= limit && false:", database + ".TestFullOutbox", ""},
	{"nobody waits for the database", "auditlog/postgres/append.go", "if l.o.Through {", "if false {", database + ".TestThrough", ""},
	{"a request of another sidecar is recorded again", "auditlog/postgres/append.go", "if asked[q][int64(r.GetPart())] {", "if false {", database + ".TestSharedDatabaseKeepsChainsApart", ""},
	{"an altered row is read", "auditlog/postgres/rows.go", "if !e.Holds(x.log) {", "if !e.Holds(x.log) && false {", database + ".TestServerMeetsContract", ""},
	{"an altered column is passed over", "auditlog/postgres/rows.go", "what := x.Difference(want); what != \"\" {", "what := x.Difference(want); false {", database + ".TestServerMeetsContract", ""},
	{"a deletion is not finished in the database", "auditlog/postgres/retain.go", "if until := recorded.GetLast(); until > anchor.Number {", "if until := recorded.GetLast(); false {", database + ".TestInterruptedRetention", ""},

	{"an abandoned upload stays", "server/pipeline/stream.go", "defer a.end()", "_ = a.end", legs + ".TestAbandonedUploads", "TOOLRESULT_FAULTS_UPLOADS=20"},
	{"a server that drains lets calls in", "server/rpc/interceptors.go", "c.draining.Store(true)", "", legs + ".TestTerminatedWithOpenUploads", ""},

	{"the stuffing is not stuffed", "renderers/stuffing.go", "newReserved(Forms())", "newReserved(Forms()[:len(Forms())-1])", seal, ""},
	{"a form is not stuffed", "renderers/stuffing.go", "for _, f := range forms {", "for _, f := range forms[:len(forms)-3] {", seal, ""},
	{"lines are matched without folding", "renderers/stuffing.go", "folded := fold(line, r.longest)", "folded := line", seal, ""},
	{"a line separator is left in", "preview/textscan/sanitise.go", "r == 0x85 || r == 0x2028 || r == 0x2029", "r == 0x85 || r == 0x2029", seal, ""},
	{"text is stuffed before it is cut", "renderers/writer.go", "w.tool(line)", "if i > 0 && pieces[i-1].Mark != nil && pieces[i-1].Mark.Inside { w.line(line) } else { w.tool(line) }", seal, ""},
	{"the last outcome counts", "renderers/parser.go", "p.at = p.lines[0], 1\n", "p.at = p.lines[0], 1\n\tfor _, l := range p.lines { if hasPrefix(strings.TrimPrefix(l, stuffing), p.grammar.outcomes) { p.document.Outcome = strings.TrimPrefix(l, stuffing) } }\n", seal, ""},
	{"connections have no cap", "server/server.go", "rpc.ListenerLimits{Connections: s.config.MaxConnections,", "rpc.ListenerLimits{Connections: 1 << 20,", wire + "A15.*", ""},
	{"a connection may be set up for ever", "server/server.go", "SetUp: connectionTimeout,", "SetUp: 100 * connectionTimeout,", wire + "A02.*", ""},
	{"unknown callers connect as fast as they like", "server/rpc/limitlistener.go", "if wait := l.SlotTime - now.Sub(p.since); wait > 0 {", "if wait := l.SlotTime - now.Sub(p.since); wait > time.Hour {", rpcTests + "TestPendingConnectionsAreBoundedInRate", ""},
	{"the slot of a connection that ended is free at once", "server/rpc/limitlistener.go", "c.slot.Value.(*slot).conn = nil\n", "c.slot.Value.(*slot).conn = nil\n\t\tl.slots.Remove(c.slot)\n", rpcTests + "TestPendingConnectionsAreBoundedInRate", ""},
	{"pending connections send what they like", "server/rpc/limitlistener.go", "n, err := c.Conn.Read(p[:min(int64(len(p)), left)])", "n, err := c.Conn.Read(p)", rpcTests + "TestPendingConnectionsSendLittle", ""},
	{"pending connections stay when the listener is closed", "server/rpc/limitlistener.go", "_ = c.Close()\n\t}\n\treturn err", "_ = c\n\t}\n\treturn err", rpcTests + "TestPendingConnectionsEndWithTheListener", ""},
	{"frames of a pending connection have no bound", "server/rpc/preauth.go", "v.frames > pendingFrames", "v.frames < 0", rpcTests + "TestPreauthReadsLittle", ""},
	{"a pending connection has for ever to call", "server/rpc/preauth.go", "conn.SetDeadline(began.Add(p.Time))", "conn.SetDeadline(time.Time{})", rpcTests + "TestPreauthReadsLittle", ""},
	{"gRPC gets unknown callers", "server/rpc/preauth.go", "if who.Rejected == nil {", "if true {", rpcTests + "TestPreauthAnswersUnknownCallers", ""},
	{"health of anything is told to anybody", "server/rpc/preauth.go", `&& req.GetService() == ""`, "", rpcTests + "TestPreauthAnswersUnknownCallers", ""},
	{"an answer is taken away", "server/rpc/preauth.go", "v.linger(began.Add(p.Time))", "_ = v.linger", rpcTests + "TestPreauthAnswersUnknownCallers", ""},
	{"short frames stay apart", "server/rpc/receive.go", "if len(part) <= 1+part.Len()/short {", "if len(part) > 0 {", rpcTests + "TestShortFramesCostLittle", ""},
	{"messages are read at once", "server/rpc/receive.go", "r.Read(min(size, piece))", "r.Read(size)", rpcTests + "TestShortFramesCostLittle", ""},
	{"a client may stop in the middle of a message", "server/rpc/receive.go", "r.readPieces(size, limit.Wait)", "r.readPieces(size, func(read func() error) error { return read() })", rpcTests + "TestStalledMessageGivesUp", ""},
	{"a half-open call keeps memory from others", "server/rpc/receive.go", "small := header[0] == 0 && size", "small := header[0] == 9 && size", rpcTests + "TestHalfOpenCallHoldsLittle", ""},
	{"a slow message keeps memory from others", "server/rpc/receive.go", "if time.Now().After(last) {", "if false && time.Now().After(last) {", rpcTests + "TestSlowMessageGivesUp", ""},
	{"a pattern may compile to anything", "server/artifactapi/pattern.go", "if instructions(tree) > maxProgram {", "if instructions(tree) < 0 {", "server/artifactapi.TestPatternsAreBounded", ""},
	{"the index of values has no bound", "server/redaction/secrets.go", "if indexBytes(sets) > max(", "if indexBytes(sets) < -max(", "server/redaction.TestIndexOfSecretsIsBounded", ""},
	{"what nobody put is read by all", "artifactstore/catalog/read.go", "SELECT 1 WHERE EXISTS (SELECT 1 FROM uses u WHERE u.name = ?1 AND u.raw = 0)", "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM uses u WHERE u.name = ?1 AND u.raw = 1)", "artifactstore/catalog.TestCatalogWithoutUsesFailsClosed", ""},
	{"a shorter database is not noticed", "internal/sqlitedb/vanished.go", "info.Size() < p.seen[i].Size()", "info.Size() < 0", "internal/sqlitedb.TestVanishedFilesAreNoticed", ""},
	{"a stream may stop in the middle of a message", "server/rpc/receive.go", "r.waits.Within(stallTime)", "r.waits.Within(math.MaxInt64)", rpcTests + "TestStalledStreamGivesUp", ""},
	{"an ended call holds memory", "server/rpc/receive.go", "if r.over {", "if false {", rpcTests + "TestEndedCallHoldsNothing", ""},
	{"every unknown caller has a line", "server/rpc/tap.go", "if c.unknownCallers.lines.Allow() {", "if c.unknownCallers.lines.Allow() || true {", rpcTests + "TestUnknownCallersFillNoLog", ""},
	{"elements weigh nothing", "server/admission/weight.go", "w.Elements += elementsOf(f.Message())", "_ = elementsOf(f.Message())", "server/admission.TestReservedMemoryCoversDecoding", ""},
	{"large elements weigh as small ones", "server/admission/weight.go", "n = (size + perElement - 1) / perElement", "n = min(size, 1)", "server/admission.TestReservedMemoryCoversDecoding", ""},
	{"any authority will do", "server/identity/access.go", "len(authority) != 1 || !a.isOurs(authority[0])", "len(authority) > 1", wire + "A09.*", ""},
	{"what is unpacked has no limit", "server/rpc/receive.go", "io.LimitReader(unpacked, int64(limit)+1)", "unpacked", wire + "A12.*", ""},
	{"the last answer waits for ever", "server/idle/idle.go", "b := NewLimit(idle)\n\treturn b.Run(func() error { return b.Wait(send) })", "return send()", wire + "A21.*", ""},
	{"an answer waits for ever", "server/pipeline/stream.go", "return a.idle.Wait(func() error { return a.call.Send(m) })", "return a.call.Send(m)", "server/pipeline.TestAnswersMustBeTaken", ""},
	{"memory stays reserved", "server/admission/admission.go", "l.taken -= n\n\tl.serve()", "l.serve()", "integration.TestInFlightBytesAreGivenBack", ""},

	{"a preview is made before redaction", "server/ingest/spool.go", "t.preview.write(ready, newlines)\n\treturn nil", "t.preview.write(received, newlines)\n\treturn nil", hidden, ""},
	{"streams in order are not redacted", "server/ingest/interleave.go", "b.streams = append(b.streams, streams[name].Blob)", "if o := streams[name].Original; o != nil {\n\t\t\tb.streams = append(b.streams, o)\n\t\t} else {\n\t\t\tb.streams = append(b.streams, streams[name].Blob)\n\t\t}", hidden, ""},
	{"a file is not redacted", "server/ingest/spool.go", "if t.redactor.Flush(); err != nil || !t.redactor.Any() {", "if t.redactor.Flush(); true {", hidden, ""},
	{"details of an error are not redacted", "server/redaction/walk.go", "text := m.Get(inline).Bytes()\n", "text := m.Get(inline).Bytes()\n\tif strings.HasSuffix(path, \".details\") {\n\t\treturn\n\t}\n", hidden, ""},
	{"a log is not redacted", "server/artifactapi/logs.go", "newRedactedLog(log, r.Options, shown", "newRedactedLog(log, redact.Options{}, shown", hidden, ""},
	{"the end of a call shows a value", "redact/suspend.go", "kind >= 0 {\n\t\t\tbegun", "kind > 1<<20 {\n\t\t\tbegun", "integration.TestValueOverTwoCalls", ""},
	{"what a page puts together is not looked at", "server/toolapi/page.go", "\tr.mask(stored, p.canonical)\n", "\t_ = stored\n", "integration.TestSomeHiddenSecrets", ""},
	{"anybody reads what was redacted", "server/artifactapi/artifacts.go", "if req.GetRaw() && !identity.FromContext(ctx).MayReadRaw() {", "if false {", "server/artifactapi.TestWhoReadsWhatWasRedacted", ""},
	{"what was redacted is read like anything else", "server/pipeline/record.go", "owner.Raw = true", "owner.Raw = false", hidden, ""},
	{"what a runtime wants on record is not redacted", "server/pipeline/project.go", "o.pass.RedactDetails(o.req.GetAudit())", "o.req.GetAudit()", hidden, ""},
	{"fields of newer programs are recorded", "server/redaction/walk.go", "if len(m.GetUnknown()) > 0 {", "if false {", hidden, ""},
	{"names are recorded whatever they are", "server/redaction/redaction.go", "len(found) > 0 {\n\t\tcheck.Fail(field", "len(found) > 99 {\n\t\tcheck.Fail(field", hidden, ""},
	{"the beginning of a secret is shown", "redact/peek.go", "if c.open = c.emitted; s.finder.isPrompt(s.rest()) {", "if c.open = c.emitted; true {", "redact.TestPeekInTheMiddleOfASecret", ""},
	{"strings of JSON are not read", "redact/json.go", "if bytes.IndexByte(text, '\\\\') < 0 {", "if true {", "redact.TestSecretsInStringsOfJSON", ""},
	{"originals in lists have one name", "server/redaction/walk.go", `fmt.Sprintf("%s[%d]", at, i)`, `fmt.Sprint(at)`, "server/redaction.TestOriginalsOfLists", ""},
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
			case strings.Contains(out, "# github.com/toolresult/"), strings.Contains(out, "[build failed]"), strings.Contains(out, "[setup failed]"):
				t.Errorf("it does not compile:\n%s", out)
			case strings.Contains(out, "no tests to run"):
				t.Errorf("its killer %s does not exist", m.killer)
			case cannotRun.MatchString(out):
				t.Errorf("its killer %s cannot run here:\n%s", m.killer, out)
			case err == nil:
				t.Errorf("it survives %s:\n%s", m.killer, out)
			case !strings.Contains(out, "--- FAIL") && !strings.Contains(out, "panic: "):
				t.Errorf("nothing was tested: %v\n%s", err, out)
			default:
				t.Logf("killed by %s", said.FindString(out))
			}
		})
	}
}

// cannotRun is what a test says that lacks root, a mount or a program: it fails with and without the mutant.
var cannotRun = regexp.MustCompile(`TOOLRESULT_LEGS=all, and this \w+ cannot run`)

// TestTableFollowsTheSource checks what is cheap to check of each mutant: its place in the source, and its killer.
func TestTableFollowsTheSource(t *testing.T) {
	root := "../../.."
	for _, m := range mutants {
		if _, err := m.apply(root); err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
		dir, test, _ := strings.Cut(m.killer, ".")
		test, _, _ = strings.Cut(test, "/")
		files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(text), "\nfunc "+test+"(")
		}) {
			t.Errorf("%s: %s has no test %s", m.name, dir, test)
		}
	}
}

// apply returns the source with the mutant in it.
func (m mutant) apply(root string) (string, error) {
	source, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(source), m.old); n != 1 {
		return "", fmt.Errorf("%s has %q %d times", m.file, m.old, n)
	}
	return strings.Replace(string(source), m.old, m.new, 1), nil
}

// said is what a test says first.
var said = regexp.MustCompile(`\w+_test\.go:\d+: .*|panic: .*|\w+\.go:\d+: .*`)

// overlay writes the mutated file, and the file that tells the go command of it.
func overlay(t *testing.T, root string, m mutant) string {
	t.Helper()
	path := filepath.Join(root, m.file)
	source, err := m.apply(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	mutated, description := filepath.Join(dir, "mutated.go"), filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]map[string]string{"Replace": {path: mutated}})
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string]string{mutated: source, description: string(text)} {
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
