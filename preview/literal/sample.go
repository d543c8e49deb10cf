package literal

// sample has the bulk of ordinary tool output: first the words, then the
// shapes of lines. New learns from it which four bytes are common, so that it
// can look for others: "tted" and not "comm", though "committed" has both. It
// decides how fast a Set is on such text and never what it finds.
const sample = ` the and for of to in is was with from this that are not have has will been by on as at it be or an if no use all can
 which when then there these their they them other only into more some should would your you
 compile compiling compiler compiled complete completed component compare command comment commit common computed
 build building builder builds built project object subject inject reject rejected directory repository
 test tests testing tested run running runs time times timer timestamp runtime file files filename profile
 using user used usage uses missing passing processing parsing processed passed assembly class classes pass assets assert message messages
 warn warnings deprecated download downloading downloaded downloads window windows unpack unpacking package packages packaging
 skip skipping skipped support supported supports expect expected expecting exception except execute executing executed exec executor
 install installing installed installer setting setup set up getting get fetch fetching checking check checked checkout check out
 configure configuring configured config configuration generated generating generate general create created creating creation
 update updated updating updates upgrade version versions module modules node_modules dependency dependencies require required requires
 resolve resolved resolving resolution default result results return returned returning read reading ready
 start started starting status state stop stopped step steps finished finish found find finding
 copy copying copied collect collecting collected cache cached caching local locale path paths library libraries linux link linking linked
 source sources resource resources service server session system string structure
 include included including index info information initialize initializing initial input int inter interface internal international
 output option options optional over override out another method methods made main make makefile making match matches
 function functions field failed failure fail error errors false fixed format formatter force form
 target tag task tasks table text template temp tmp total trace transform true type types typescript
 name named names namespace native network new next number null num line lines list listing level length let load loading loaded log logger logging
 java javascript python pytest npm github gitlab docker image images container maven gradle plugin plugins plug kotlin scala ruby rust cargo golang
 http https www com org io net html xml json yaml yml txt md src lib bin usr var home opt etc share include 
 value values variable valid validate validation view
 debug debian deb dev development define defined definition delete deleted dep deps detected device diff different dir dist
 amd64 x86_64 ubuntu arm64 release releases remote remove removed removing rename replace report reports request requests
 push pull branch master origin head merge merging counting objects compressing delta remote receiving unit
 platform play please point pool port position post preparing prepare present previous print private process processor produce program property properties protocol provided public published
 while write writing written work worker workers working workspace within without
 sec seconds second ms minutes elapsed duration average size bytes kb mb gb rate speed total
 mon tue wed thu fri sat sun jan feb mar apr may jun jul aug sep oct nov dec
 ==== ---- .... ####  **** ____ :: -- == -> => .. // /// 000 00: :00 :0 0.0 1.0 .0 100% 100 (1) (2) [info] [debug] [0m [m [32m [36;1m [90m
   .py .go .js .ts .java .cpp .c .h .o .so .jar .class .html .json 2026-03-14T09:26:53.5897932Z ##[group]Run actions/checkout@v4
2026-03-14T09:26:54.1234567Z [command]/usr/bin/git -c protocol.version=2 fetch --no-tags --prune --depth=1 origin
2026-03-14T09:27:01.0200000Z   with:        repository: example/project
2026-03-14T09:27:01.0210000Z remote: Enumerating objects: 1532, done.        remote: Counting objects:  67% (1027/1532)
Receiving objects:  99% (1517/1532), 4.51 MiB | 9.02 MiB/s   Resolving deltas: 100% (811/811), done.
[0K$ bundle install --jobs=3 --retry=3 --deployment --path=${BUNDLE_PATH:-vendor/bundle}
travis_time:end:0f2b4c6d:start=1570012345678901234,finish=1570012345987654321,duration=308753087 [0K travis_fold:start:before_install
[0;32m  PASS [0m [1m src/components/__tests__/Button.test.js (5.123 s) [22m [39m
[34;1m$ export PATH=$HOME/.local/bin:$PATH [0;m [33;1m [31;1m [36m [90m [1m [2K [0m
[INFO] Downloading from central: https://repo.maven.apache.org/maven2/org/apache/maven/plugins/maven-surefire-plugin/2.22.2/maven-surefire-plugin-2.22.2.pom
[INFO] Downloaded from central: https://repo.maven.apache.org/maven2/junit/junit/4.12/junit-4.12.jar (315 kB at 2.1 MB/s)
[INFO] ------------------------------------------------------------------------
[DEBUG]   (f) outputDirectory = /home/runner/work/project/project/target/classes
[INFO] --- maven-compiler-plugin:3.8.1:testCompile (default-testCompile) @ core ---
> Task :app:compileDebugJavaWithJavac UP-TO-DATE     :core:processResources NO-SOURCE
Get:12 http://archive.ubuntu.com/ubuntu jammy-updates/main amd64 libssl-dev amd64 3.0.2-0ubuntu1.15 [2,374 kB]
Selecting previously unselected package libx11-dev:amd64.   Unpacking libx11-dev:amd64 (2:1.7.5-1) ...   Setting up libx11-dev:amd64 (2:1.7.5-1) ...
  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current                                  Dload  Upload   Total   Spent    Left  Speed
  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0 100 12.3M  100 12.3M    0     0  21.0M
Collecting numpy>=1.21.0 (from -r requirements.txt (line 3))   Using cached numpy-1.24.2-cp310-cp310-manylinux_2_17_x86_64.whl (17.3 MB)
     |################################| 17.3 MB 45.6 MB/s eta 0:00:01      ━━━━━━━━━━━━━━━━━━━━ ██████████
tests/unit/test_models.py::TestModel::test_save PASSED                   [ 42%]   tests/test_views.py ......................... [ 55%]
============================= test session starts ==============================   platform linux -- Python 3.10.6, pytest-7.2.1, pluggy-1.0.0
ok      github.com/example/project/internal/server      0.512s     === RUN   TestServer/start --- PASS: TestServer/start (0.00s)
go: downloading golang.org/x/sys v0.5.0     ?       github.com/example/project/cmd [no test files]
[ 37%] Building CXX object src/CMakeFiles/core.dir/parser/lexer.cpp.o   [ 38%] Linking CXX static library libcore.a
-- Looking for pthread_create in pthreads - found     -- Performing Test HAVE_STDINT_H - Success    checking for gcc option to accept ISO C89... none needed
/usr/bin/c++ -DNDEBUG -I../include -I/usr/include -O2 -g -fPIC -Wall -Wextra -std=gnu++17 -MD -MT src/a.o -MF src/a.o.d -o src/a.o -c ../src/a.cpp
make[2]: Entering directory '/builds/project/build'    make[2]: Leaving directory    make[1]: *** libtool: compile:  gcc -DHAVE_CONFIG_H -I. -I.. -g -O2
   Compiling serde v1.0.152   Compiling proc-macro2 v1.0.51    Finished dev [unoptimized + debuginfo] target(s) in 12.34s    test parser::tests::number ... ok
Step 4/12 : RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates curl    ---> Running in 3f2a9b8c7d6e   #12 [build 4/7] sha256:9b8f3e2a1c
npm WARN deprecated request@2.88.2: request has been deprecated, see https://github.com/request/request/issues/3142   added 1432 packages from 812 contributors and audited 1433 packages in 23.5s
        at Object.<anonymous> (/app/node_modules/jest-runner/build/index.js:12:34)      at java.base/java.lang.Thread.run(Thread.java:829)     at org.junit.runners.ParentRunner.run(ParentRunner.java:363)
            "name": "value",            "version": "1.0.0",     "id": 12345,      {"level":"info","ts":1678901234.567,"msg":"request","status":200}
drwxr-xr-x  2 root root    4096 Mar 14 09:26 .     -rw-r--r-- 1 root root   12345 Mar 14 09:26 file.txt     commit 4f3c2b1a0d9e8f7a6b5c4d3e2f1a0b9c8d7e6f5a
I0314 09:26:53.123456   12345 controller.go:123] Starting reconciler   time="2026-03-14T09:26:53Z" level=info msg="synced"   09:26:53.123 [main] INFO  org.example.Application - Started
# # #  * * *  + + -> => :: ;; || && <<<< >>>> (){}[] [0] [1] [ 1%] [10/200] 100%  50% 0x7ffd1234 0x0000 1,234,567 0.000 1.000000 127.0.0.1:8080
    def test(self):         return self.value if value is None else {} == [] and x = 1;     public static void main(String[] args) {    }     </div>   <td class="x">
`
