package shape

import "testing"

const psTable = `USER       PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
root         1  0.0  0.0  48696 17264 ?        Ss   00:35   0:37 /sbin/init
root         2  0.0  0.0      0     0 ?        S    00:35   0:00 [kthreadd]
root        14  0.0  0.0      0     0 ?        S    00:35   0:08 [ksoftirqd/0]
deploy     311  0.0  0.0   9120  3348 ?        S    00:35   0:00 tail -F /var/log/error.log failed
postgres   400 71.5  9.1 12486960 917264 ?     Rs   00:35  10:37 postgres: 16/main: writer
deploy     512  0.0  0.0      0     0 ?        Z    00:35   0:00 [worker] <defunct>
deploy     513  0.1  0.0  88120 13348 ?        D    00:35   0:00 cp -r /mnt/nfs/a /tmp/b
deploy     514  0.0  0.0  88120 13348 pts/0    S+   00:35   0:00 bash
`

const topTable = `top - 09:44:11 up  9:08,  0 user,  load average: 5.12, 4.87, 4.45
Tasks:  89 total,   3 running,  86 sleeping,   0 stopped,   0 zombie
%Cpu(s): 73.9 us, 21.7 sy,  0.0 ni,  4.3 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
MiB Mem :  24105.5 total,   1046.9 free,   7011.9 used,  16488.7 buff/cache

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
      1 root      20   0   48696  17264   4096 S   0.0   0.1   0:37.47 init
  12044 root      20   0 1831424 322100  38912 R  93.3   1.3   0:14.31 compile
  12051 root      20   0 1240064  18944  10240 S   6.7   0.1   0:00.46 asm
`

const dfTable = `Filesystem     1K-blocks      Used Available Use% Mounted on
udev             3972148         0   3972148   0% /dev
/dev/vda1       41151808  39901222         0  97% /
/dev/vdb1       10218772    120044   9560056   2% /data
tmpfs             799260      1032    798228   1% /run
`

const dockerTable = `CONTAINER ID   IMAGE          COMMAND                  CREATED        STATUS                      PORTS      NAMES
3f1a2b3c4d5e   postgres:16    "docker-entrypoint.s…"   2 hours ago    Up 2 hours (healthy)        5432/tcp   error-db
4f1a2b3c4d5e   worker:1.2     "/run failed jobs"       2 hours ago    Up 2 hours                             jobs
5f1a2b3c4d5e   migrate:1.2    "/migrate"               3 hours ago    Exited (1) 2 hours ago                 migrate
6f1a2b3c4d5e   seed:1.2       "/seed"                  3 hours ago    Exited (0) 2 hours ago                 seed
`

const podsTable = `NAME                      READY   STATUS      RESTARTS   AGE
error-reporter-1          1/1     Running     0          5d
web-7c4f9b6d5-abcde       1/2     Running     3 (2m ago) 5d
migrate-x2x               0/1     Completed   0          5d
web-7c4f9b6d5-fghij       2/2     Running     0          5d
`

const queryTable = ` id |  name   | status 
----+---------+--------
  1 | failed  | done
  2 | b       | done
  3 | c       | failed
  4 | d       | done
(4 rows)
`

// Tables are known by the names of their columns, or by the rule below these.
func TestTablesAreDetected(t *testing.T) {
	for name, text := range map[string]string{
		"ps": psTable, "top": topTable, "df": dfTable, "docker ps -a": dockerTable, "kubectl get": podsTable, "rows of psql": queryTable,
		"without states": "Package    Version\n---------- -------\nerror-free 1.0\nbroken     1.1\nworking    1.2\n",
	} {
		if got := DetectText(text, None); got != Table {
			t.Errorf("%s: shape %d", name, got)
		}
	}
}
