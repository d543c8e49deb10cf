package steps

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/textscan"
)

// marked returns the text without the margin that says what its lines are: "+" in a step that ended well, "c" in a
// clean-up, "." in none; and these marks.
func marked(text string) (plain, marks string) {
	for line := range strings.Lines(text) {
		marks += line[:1]
		plain += strings.TrimPrefix(line[1:], " ")
	}
	return plain, marks
}

// line is a line of a log.
type line struct {
	text   []byte
	number int64
}

// linesOf returns the lines of a text as a terminal shows them.
func linesOf(text string) (list []line) {
	var b textscan.LineBuilder
	for one := range strings.Lines(text) {
		b.Begin(0)
		b.Write([]byte(strings.TrimSuffix(one, "\n")), len(one))
		list = append(list, line{bytes.Clone(b.Text()), int64(len(list)) + 1})
	}
	return list
}

// stepsOf returns the steps of lines.
func stepsOf(list []line) []Step {
	return Of(len(list), func(i int) ([]byte, int64) {
		bare := textscan.Bare(list[i].text)
		return bare[salience.TimeLength(bare):], list[i].number
	})
}

// marksOf writes the steps of lines as the margin does.
func marksOf(list []line) string {
	var b strings.Builder
	places := stepsOf(list)
	for i := range list {
		place := Unknown
		if places != nil {
			place = places[i]
		}
		b.WriteByte(".+c"[place])
	}
	return b.String()
}

func TestStepsOfLogs(t *testing.T) {
	for name, text := range map[string]string{
		"Travis": `
. $ cd project
+ $ make lint
+ lint.c:3: error: ignored by the linter
+ 
+ The command "make lint" exited with 0.
. $ make test
. FAIL: parser
. The command "make test" exited with 2.
. travis_fold:start:after_failure.1
. $ cat build.log
. travis_fold:end:after_failure.1
c travis_fold:start:cache.2
c cannot store the cache: error 403
c travis_fold:end:cache.2
. Done. Your build exited with 1.
`,
		"Travis, coloured and with returns": "\n" +
			"+ travis_time:start:02\r\x1b[0K$ make\r\n" +
			"+ error: ignored\r\n" +
			"+ \x1b[32;1mThe command \"make\" exited with 0.\x1b[0m\r\n" +
			". travis_fold:end:x\r\x1b[0Ktravis_time:start:02\r\x1b[0K$ npm test\r\n" +
			". 1 failing\r\n" +
			". \x1b[31;1mThe command \"npm test\" exited with 1.\x1b[0m\r\n" +
			"c travis_fold:start:cache.2\r\x1b[0Kstore build cache\r\n" +
			"c error: no network\r\n" +
			". Done. Your build exited with 1.\r\n",
		"Travis, a phase that does well": `
+ travis_fold:start:install.1
+ $ npm ci
+ npm WARN error in an optional dependency
+ travis_fold:end:install.1
`,
		"Travis, a phase that fails": `
. travis_fold:start:install
. $ pip install -r requirements.txt
. error: no matching distribution
. The command "pip install -r requirements.txt" failed and exited with 1 during install.
. travis_fold:end:install
. Your build has been stopped.
`,
		"GitHub": `
+ 2026-02-03T10:00:01.1Z ##[group]Run actions/checkout@v4
+ 2026-02-03T10:00:01.1Z with:
+ 2026-02-03T10:00:01.1Z ##[endgroup]
+ 2026-02-03T10:00:02.1Z hint: error: no default branch
. 2026-02-03T10:00:03.1Z ##[group]Run go test ./...
. 2026-02-03T10:00:03.1Z go test ./...
. 2026-02-03T10:00:03.1Z shell: /usr/bin/bash -e {0}
. 2026-02-03T10:00:03.1Z ##[endgroup]
. 2026-02-03T10:00:04.1Z --- FAIL: TestX
. 2026-02-03T10:00:05.1Z ##[error]Process completed with exit code 1.
. 2026-02-03T10:00:06.1Z ##[group]Run cat server.log
. 2026-02-03T10:00:06.1Z shell: /usr/bin/bash -e {0}
. 2026-02-03T10:00:06.1Z ##[endgroup]
. 2026-02-03T10:00:06.1Z panic: in the server
c 2026-02-03T10:00:07.1Z ##[group]Run actions/upload-artifact@v4
c 2026-02-03T10:00:07.1Z ##[endgroup]
c 2026-02-03T10:00:07.1Z No files were found with the provided path: out
c 2026-02-03T10:00:08.1Z Post job cleanup.
c 2026-02-03T10:00:08.1Z fatal: no submodule mapping found
. 2026-02-03T10:00:09.1Z Cleaning up orphan processes
`,
		"GitHub, a job that succeeds": `
+ ##[group]Run make
+ shell: /bin/bash -e {0}
+ ##[endgroup]
+ error: ignored
. Post job cleanup.
. Cleaning up orphan processes
`,
		"GitHub, groups of the user": `
. ##[group]Run the tests
. error: one
. ##[endgroup]
. ##[group]Run more tests
. error: two
. ##[endgroup]
`,
		"GitHub, the next job": `
. ##[error]The operation was canceled.
. Current runner version: '2.300.2'
+ ##[group]Run make
+ shell: /bin/bash -e {0}
+ ##[endgroup]
. ##[group]Run make install
. shell: /bin/bash -e {0}
`,
		"Azure": `
+ 2026-02-03T10:00:01.1Z ##[section]Starting: Build
+ 2026-02-03T10:00:01.1Z warning: error in a comment
+ 2026-02-03T10:00:01.1Z ##[section]Finishing: Build
. 2026-02-03T10:00:01.1Z ##[section]Starting: Test
. 2026-02-03T10:00:01.1Z 3 tests failed
. 2026-02-03T10:00:01.1Z ##[error]Bash exited with code '1'.
. 2026-02-03T10:00:01.1Z ##[section]Finishing: Test
c 2026-02-03T10:00:01.1Z ##[section]Starting: Post-job: Checkout
c 2026-02-03T10:00:01.1Z error: could not clean
c 2026-02-03T10:00:01.1Z ##[section]Finishing: Post-job: Checkout
`,
		"GitLab": "\n" +
			"+ section_start:1560896352:prepare_executor\r\x1b[0K\x1b[0K\x1b[36;1mPreparing the \"docker\" executor\x1b[0;m\n" +
			"+ ERROR: Failed to remove network, trying again\n" +
			"+ section_start:1560896352:get_sources\r\x1b[0K\x1b[36;1mGetting source from Git repository\x1b[0;m\n" +
			"+ warning: could not read a file\n" +
			". section_start:1560896353:step_script\r\x1b[0K\x1b[36;1mExecuting \"step_script\" stage of the job script\x1b[0;m\n" +
			". make: *** [all] Error 1\n" +
			"c section_start:1560896354:after_script\r\x1b[0KRunning after_script\n" +
			"c rm: cannot remove 'tmp': No such file or directory\n" +
			"c section_start:1560896355:cleanup_file_variables\r\x1b[0KCleaning up project directory and file based variables\n" +
			". \x1b[31;1mERROR: Job failed: exit code 2\n",
		"GitLab, a job that succeeds": `
. Executing "step_script" stage of the job script
. Running after_script
. error: no file
. Cleaning up project directory and file based variables
. Job succeeded
`,
		"GitLab, an older runner": `
. $ npm test
. 2 failing
c Running after script...
c $ kill $SERVER
c kill: no such process
c Uploading artifacts for failed job
c WARNING: out: no matching files
. ERROR: Job failed: exit code 1
`,
		"Jenkins": `
. [Pipeline] Start of Pipeline
. [Pipeline] stage
+ [Pipeline] { (Declarative: Checkout SCM)
+ fatal: no tags
+ [Pipeline] }
+ [Pipeline] // stage
. [Pipeline] stage
+ [Pipeline] { (Build)
+ + make
+ an error that make ignores
+ [Pipeline] }
+ [Pipeline] // stage
. [Pipeline] stage
. [Pipeline] { (Test)
. + make test
. 3 tests failed
. [Pipeline] }
. [Pipeline] // stage
. [Pipeline] stage
. [Pipeline] { (Deploy)
. Stage "Deploy" skipped due to earlier failure(s)
. [Pipeline] }
. [Pipeline] // stage
. [Pipeline] stage
c [Pipeline] { (Declarative: Post Actions)
c No artifacts found
c [Pipeline] }
c [Pipeline] // stage
. [Pipeline] End of Pipeline
. ERROR: script returned exit code 2
. Finished: FAILURE
`,
		"Jenkins, a scripted pipeline": `
. [Pipeline] { (Build)
. error in the build
. [Pipeline] // stage
. [Pipeline] { (Finally)
. cleaning
. [Pipeline] // stage
. Finished: FAILURE
`,
		"make": `
. make -C lib
+ make[1]: Entering directory '/src/lib'
+ cc -c error.c
+ error.c:3: warning: unused
+ make[1]: Leaving directory '/src/lib'
. make[1]: Entering directory '/src/app'
. app.c:3: error: expected ';'
. make[1]: *** [Makefile:3: app.o] Error 1
. make[1]: Leaving directory '/src/app'
. make: *** [Makefile:2: all] Error 2
`,
		"make, folders below one": `
+ make: Entering directory '/src'
+ gmake[1]: Entering directory '/src/a'
+ gmake[2]: Entering directory '/src/a/b'
+ gmake[2]: Leaving directory '/src/a/b'
+ gmake[1]: Leaving directory '/src/a'
+ make: Leaving directory '/src'
`,
		"make, jobs side by side": `
. make[1]: Entering directory '/src/lib'
. make[1]: Entering directory '/src/app'
. app.c:3: error: expected ';'
. make[1]: Leaving directory '/src/lib'
. make[1]: *** [Makefile:3: app.o] Error 1
. make[1]: Leaving directory '/src/app'
`,
		"Maven": `
. [INFO] Scanning for projects...
. [INFO] Reactor Build Order:
+ [INFO] Building Shop :: Core 1.2-SNAPSHOT                                 [1/3]
+ [ERROR] expected in a test of errors
+ [INFO] Building jar: /shop/core/target/core.jar
. [INFO] Building Shop :: Web 1.2-SNAPSHOT                                  [2/3]
. [ERROR] Failures: 1
. [INFO] Reactor Summary for Shop 1.2-SNAPSHOT:
. [INFO] Shop :: Core ....................................... SUCCESS [  1.234 s]
. [INFO] Shop :: Web ........................................ FAILURE [  0.712 s]
. [INFO] Shop :: Docs ....................................... SKIPPED
. [INFO] BUILD FAILURE
`,
		"Maven, twice": `
+ [INFO] Scanning for projects...
+ [ERROR] the log of a test
+ [INFO] BUILD SUCCESS
. [INFO] Scanning for projects...
. [ERROR] There are test failures.
. [INFO] BUILD SUCCESS
`,
		"Gradle": `
. $ ./gradlew build
+ > Task :compileJava
+ error: ignored
+ > Task :test
+ BUILD SUCCESSFUL in 3s
. > Task :integrationTest FAILED
. There were failing tests. See the report
. BUILD FAILED in 2s
`,
		"Ant": `
+ Buildfile: /src/build.xml
+ [javac] 3 errors expected
+ BUILD SUCCESSFUL
. Buildfile: /src/build.xml
. BUILD FAILED
`,
		"rpmbuild": `
+ Executing(%prep): /bin/sh -e /var/tmp/rpm-tmp.1
+ patch: error in context
. Executing(%build): /bin/sh -e /var/tmp/rpm-tmp.2
. cc: error: no input
. error: Bad exit status from /var/tmp/rpm-tmp.2 (%build)
`,
		"Docker": `
. Sending build context to Docker daemon  2.048kB
+ Step 1/3 : FROM debian
+ Error reading a key, ignored
. Step 2/3 : RUN make
. cc: not found
. The command '/bin/sh -c make' returned a non-zero code: 2
`,
		"steps of another program": `
. Step 1/3 : loss 0.4
. error
. Step 2/3 : loss 0.3
`,
		"BuildKit": `
+ #5 [2/3] RUN apt-get update
. #6 [3/3] RUN make
+ #5 0.412 W: Failed to fetch an index
. #6 0.511 cc: not found
+ #5 DONE 1.2s
. #6 ERROR: process "/bin/sh -c make" did not complete successfully: exit code: 2
`,
		"go test": `
+ === RUN   TestLogsErrors
+     x_test.go:3: error: expected by the test
. --- PASS: TestLogsErrors (0.00s)
. === RUN   TestSplit
. === RUN   TestSplit/one
.     x_test.go:9: got 3, want 4
+ === RUN   TestSplit/two
+     x_test.go:7: error 2
. === PAUSE TestSplit/three
. --- FAIL: TestSplit (0.00s)
.     --- FAIL: TestSplit/one (0.00s)
.     --- PASS: TestSplit/two (0.00s)
.     --- SKIP: TestSplit/three (0.00s)
. === RUN   TestCrash
. error: before the crash
. panic: boom
. goroutine 7 [running]:
. FAIL	example.org/x	0.1s
`,
		"GoogleTest": `
+ [ RUN      ] Cart.LogsErrors
+ error: expected by the test
+ [       OK ] Cart.LogsErrors (0 ms)
. [ RUN      ] Cart.Discount
. cart_test.cc:8: Failure
. [  FAILED  ] Cart.Discount (0 ms)
`,
		"Buildbot": `
+ ========= Started compile (results: 0, elapsed: 3 secs) (at 2026-02-13) =========
+ error: ignored
+ ========= Finished compile (results: 0, elapsed: 3 secs) (at 2026-02-13) =========
. ========= Started check (results: 2, elapsed: 3 secs) (at 2026-02-13) =========
. ========= Finished check (results: 2, elapsed: 3 secs) (at 2026-02-13) =========
`,
	} {
		plain, want := marked(strings.TrimPrefix(text, "\n"))
		if got := marksOf(linesOf(plain)); got != want {
			t.Errorf("%s:\n%s, want\n%s", name, got, want)
		}
	}
}

// What is inferred from the absence of a failure does not hold over a gap of the list.
func TestStepsAreNotInferredOverGaps(t *testing.T) {
	list := linesOf("##[section]Starting: Build\nerror: x\n##[section]Finishing: Build\n$ make\nerror\nThe command \"make\" exited with 0.")
	for i := range list[1:] {
		list[i+1].number += 100
	}
	if got := marksOf(list); got != "...+++" {
		t.Errorf("%s, want only the step that is said to have ended well", got)
	}
}

// Lines without a sign have no steps, and signs in any order break nothing: a line is in a good step only behind a sign
// of a beginning and before one of an end.
func TestStepsOfAnyOrder(t *testing.T) {
	var lines []string
	for _, signs := range signsOf {
		for _, s := range signs {
			lines = append(lines, s.begin, s.begin+"x", s.begin+"1:x", s.begin+"0 (results: 0,", s.begin+"A 1 [1/2]", s.begin+"x\" exited with 0.", s.begin+"[1]: Entering directory 'x'", s.begin+"[1]: Leaving directory 'x'")
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		list := linesOf(strings.Join(rapid.SliceOfN(rapid.SampledFrom(append(lines, "error: x", "")), 1, 40).Draw(t, "lines"), "\n"))
		for i := range list {
			if rapid.IntRange(0, 9).Draw(t, "gap") == 0 {
				list[i].number += 50
			}
		}
		places := stepsOf(list)
		if places != nil && len(places) != len(list) {
			t.Fatalf("%d places of %d lines", len(places), len(list))
		}
	})
	if places := stepsOf(linesOf("error: x\nexit status 2")); places != nil {
		t.Errorf("%v without a step", places)
	}
	if places := stepsOf(nil); places != nil {
		t.Errorf("%v without a line", places)
	}
}

func BenchmarkSteps(b *testing.B) {
	list := linesOf(strings.Repeat("2026-02-03T10:00:01.1234567Z [INFO] compiling a file of the project\nmain.go:12: x\n\x1b[32mok\x1b[0m\n", 3000))
	for b.Loop() {
		stepsOf(list)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(list)), "ns/line")
}
