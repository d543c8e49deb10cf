package records_test

import (
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview/records"
	"github.com/toolresult/toolresult/preview/shape"
)

const getAll = `NAME                       READY   STATUS             RESTARTS         AGE
pod/web-6c9f8d7b5-2xk4p    1/1     Running            0                12d
pod/web-6c9f8d7b5-8wq7z    1/1     Running            0                12d
pod/mail-7d4c6f9b8-jm2vn   0/1     CrashLoopBackOff   14 (2m11s ago)   12d
pod/jobs-5b8d9c7f6-tt9kc   1/1     Running            0                12d

NAME                 TYPE        CLUSTER-IP      EXTERNAL-IP   PORT(S)   AGE
service/kubernetes   ClusterIP   10.96.0.1       <none>        443/TCP   12d
service/web          ClusterIP   10.96.171.204   <none>        80/TCP    12d

NAME                   READY   UP-TO-DATE   AVAILABLE   AGE
deployment.apps/web    2/2     2            2           12d
deployment.apps/mail   0/1     1            0           12d
deployment.apps/jobs   1/1     1            1           12d
`

const systemDF = `Images space usage:

REPOSITORY   TAG       IMAGE ID       CREATED       SIZE      SHARED SIZE   UNIQUE SIZE   CONTAINERS
shop/web     1.4       dc98e58b7c6a   2 weeks ago   412MB     0B            412MB         2
shop/api     1.4       607260b6cbb1   3 weeks ago   388MB     0B            388MB         1
postgres     16        deb175dd67de   4 weeks ago   432MB     0B            432MB         1
redis        7         62dd852380c4   5 weeks ago   117MB     0B            117MB         0

Local Volumes space usage:

VOLUME NAME        LINKS     SIZE
shop_postgres      1         11.53GB
shop_uploads       2         3.204GB

Build cache usage: 0B
`

const listing = `total 20
-rw-r--r-- 1 root root 4096 Nov 29 10:00 a.go
-rw-r--r-- 1 root root 4711 Nov 29 10:01 b.go
-rw-r--r-- 1 root root  120 Nov 29 10:02 c.go
-rw-r--r-- 1 root root  813 Nov 29 10:03 d.go
`

// Each of several tables in one text has its names, with the title before it.
func TestSeveralTables(t *testing.T) {
	for text, want := range map[string][]string{
		getAll: {
			"4 rows, all with\tAGE: 12d", "NAME\tREADY\tSTATUS\tRESTARTS", "pod/mail-7d4c6f9b8-jm2vn\t0/1\tCrashLoopBackOff\t14 (2m11s ago)",
			"NAME\tTYPE\tCLUSTER-IP\tEXTERNAL-IP\tPORT(S)\tAGE", "service/web\tClusterIP\t10.96.171.204\t<none>\t80/TCP\t12d",
			"NAME\tREADY\tUP-TO-DATE\tAVAILABLE\tAGE", "deployment.apps/mail\t0/1\t1\t0\t12d",
		},
		systemDF: {
			"Images space usage:", "4 rows, all with\tSHARED SIZE: 0B", "REPOSITORY\tTAG\tIMAGE ID\tCREATED\tSIZE\tUNIQUE SIZE\tCONTAINERS",
			"postgres\t16\tdeb175dd67de\t4 weeks ago\t432MB\t432MB\t1", "Local Volumes space usage:", "VOLUME NAME\tLINKS\tSIZE",
			"shop_postgres\t1\t11.53GB", "Build cache usage: 0B",
		},
	} {
		o := records.ParseTables([]byte(text), 1000)
		if o == nil {
			t.Errorf("no tables are seen in %q", text)
			continue
		}
		lines := strings.Split(strings.TrimSuffix(string(o.Text()), "\n"), "\n")
		if len(lines) != o.Len() {
			t.Errorf("%d lines have ranks, of %d", o.Len(), len(lines))
		}
		next := 0
		for _, line := range lines {
			if next < len(want) && line == want[next] {
				next++
			}
		}
		if next < len(want) {
			t.Errorf("%q is missing, or in another order:\n%s", want[next], o.Text())
		}
	}
}

// Rows that say that something is wrong come first, in each table.
func TestRanksOfSeveralTables(t *testing.T) {
	o := records.ParseTables([]byte(getAll), 1000)
	for i, line := range strings.Split(strings.TrimSuffix(string(o.Text()), "\n"), "\n") {
		r := o.Rank(i)
		wrong := r.Reason >= shape.KeepError && r.Reason < shape.KeepStructure
		if wrong != strings.Contains(line, "/mail") {
			t.Errorf("%q: score %d, reason %d", line, r.Score, r.Reason)
		}
		if strings.HasPrefix(line, "NAME") && r.Score < 90 {
			t.Errorf("%q: score %d", line, r.Score)
		}
	}
}

// One table, and a text with a table in it, are not several tables.
func TestOtherTextsAreNotSeveralTables(t *testing.T) {
	table, _, _ := strings.Cut(getAll, "\n\n")
	for _, text := range []string{
		"", "\n\n", table + "\n", table + "\n\nError from server: the server is not ready\n",
		strings.Repeat("A line of a text that goes on.\n", 20) + "\n" + getAll,
		"./a:\n" + listing + "\n./b:\n" + listing, // its folders are more than the attributes of files
		"OK   3  BUILD\nall is well\n\nOK   4  BUILD\nall is well\n",
	} {
		if o := records.ParseTables([]byte(text), 1000); o != nil {
			t.Errorf("%q is read as tables:\n%s", text, o.Text())
		}
	}
}

func FuzzParseTables(f *testing.F) {
	f.Add([]byte(getAll))
	f.Add([]byte(systemDF))
	f.Fuzz(func(t *testing.T, text []byte) {
		o := records.ParseTables(text, 1000)
		if o == nil {
			return
		}
		if n := strings.Count(string(o.Text()), "\n"); n != o.Len() {
			t.Fatalf("%d lines have ranks, of %d", o.Len(), n)
		}
		for i := range o.Len() {
			if s := o.Rank(i).Score; s < 1 || s > 100 {
				t.Fatalf("line %d has score %d", i, s)
			}
		}
	})
}
