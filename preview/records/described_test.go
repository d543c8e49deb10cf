package records_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview/records"
	"github.com/toolresult/toolresult/preview/shape"
)

const describedPods = `Name:             cart-1
Namespace:        shop
Priority:         0
Node:             worker-2/10.0.0.2
Labels:           app=cart
                  pod-template-hash=a500
Status:           Running
IP:               10.244.2.214
Containers:
  cart:
    Container ID:   containerd://ad49
    Image:          registry.example/cart:1.27.0
    Port:           8080/TCP
    Args:
      --port
      8080
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       Error
      Exit Code:    78
    Ready:          False
    Restart Count:  23
    Limits:
      memory:  512Mi
    Mounts:
      /var/run/secrets from kube-api-access (ro)
Conditions:
  Type              Status
  Initialized       True 
  Ready             False 
Volumes:
  kube-api-access:
    Type:     Projected (a volume that contains injected data)
Tolerations:  node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
Events:
  Type     Reason   Age                From     Message
  ----     ------   ----               ----     -------
  Normal   Pulled   36m                kubelet  Container image already present
  Warning  BackOff  2m (x118 over 26m)  kubelet  Back-off restarting failed container cart


Name:             web-1
Namespace:        shop
Status:           Running
Controlled By:    ReplicaSet/web
Events:           <none>
`

// An object is what it is called and its state, and then its sections.
func TestDescribedObjects(t *testing.T) {
	const want = `Name: cart-1, Status: Running
Namespace: shop, Node: worker-2/10.0.0.2, IP: 10.244.2.214
Containers.cart: State: Waiting (Reason: CrashLoopBackOff), Last State: Terminated (Reason: Error, Exit Code: 78), Ready: False, Restart Count: 23
Containers.cart: Image: registry.example/cart:1.27.0, Port: 8080/TCP
Containers.cart.Args: --port
Containers.cart.Args: 8080
Containers.cart.Limits: memory: 512Mi
Conditions: Type Status
Conditions: Initialized True
Conditions: Ready False
Events: Type Reason Age From Message
Events: Normal Pulled 36m kubelet Container image already present
Events: Warning BackOff 2m (x118 over 26m) kubelet Back-off restarting failed container cart
Name: web-1, Status: Running
Namespace: shop, Controlled By: ReplicaSet/web
`
	o := records.ParseDescribed([]byte(describedPods))
	if o == nil {
		t.Fatal("it is not read")
	}
	if got := string(o.Text()); got != want {
		t.Fatalf("got:\n%s", got)
	}
	lines := strings.Split(want, "\n")
	rank := func(part string) records.Rank {
		for i, line := range lines {
			if strings.Contains(line, part) {
				return o.Rank(i)
			}
		}
		t.Fatalf("no line has %q", part)
		return records.Rank{}
	}
	for _, part := range []string{"CrashLoopBackOff", "Ready False", "Warning BackOff"} {
		if r := rank(part); r.Score < rank("Name: web-1").Score || r.Reason < shape.KeepError || r.Reason >= shape.KeepStructure {
			t.Errorf("%s: %+v", part, r)
		}
	}
	for _, part := range []string{"Initialized", "Normal Pulled", "Args: 8080", "Image:"} {
		if r := rank(part); r.Score >= rank("Name: web-1").Score || r.Reason < shape.KeepStructure && r.Reason >= shape.KeepError {
			t.Errorf("%s: %+v", part, r)
		}
	}
}

// Conditions that name a trouble are bad if they are true.
func TestConditionsOfNodes(t *testing.T) {
	node := "Name:               worker-3\nRoles:              <none>\nUnschedulable:      false\nConditions:\n" +
		"  Type             Status  LastHeartbeatTime  Reason                       Message\n" +
		"  ----             ------  -----------------  ------                       -------\n" +
		"  MemoryPressure   False   Mon, 02 Mar 2026   KubeletHasSufficientMemory   kubelet has sufficient memory available\n" +
		"  DiskPressure     True    Mon, 02 Mar 2026   KubeletHasDiskPressure       kubelet has disk pressure\n" +
		"  Ready            Unknown Mon, 02 Mar 2026   NodeStatusUnknown            Kubelet stopped posting node status.\n" +
		"Addresses:\n  InternalIP:  10.0.0.3\n  Hostname:    worker-3\nCapacity:\n  cpu:     4\n  memory:  16Gi\n" +
		"Non-terminated Pods:          (2 in total)\n  Namespace    Name      CPU Requests  Age\n  ---------    ----      ------------  ---\n" +
		"  kube-system  dns-1     100m (2%)     4d\n  shop         cart-1    200m (5%)     3d\n"
	o := records.ParseDescribed([]byte(node))
	if o == nil {
		t.Fatal("it is not read")
	}
	if text := string(o.Text()); !strings.Contains(text, "Non-terminated Pods: (2 in total)") || !strings.Contains(text, "\nNon-terminated Pods: shop cart-1 200m (5%) 3d\n") {
		t.Errorf("got:\n%s", text)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(o.Text())), "\n") {
		bad := o.Rank(i).Reason >= shape.KeepError && o.Rank(i).Reason < shape.KeepStructure
		if want := strings.Contains(line, "DiskPressure") || strings.Contains(line, "Unknown"); bad != want {
			t.Errorf("%s: %+v", line, o.Rank(i))
		}
	}
}

// Other text is not described objects.
func TestNotDescribed(t *testing.T) {
	for name, text := range map[string]string{
		"YAML":    strings.Repeat("name: web\nspec:\n  replicas: 3\n  image: a:1\n", 8),
		"headers": "HTTP/1.1 200 OK\n" + strings.Repeat("content-type: text/html\n", 20),
		"log":     strings.Repeat("2026-03-01 10:00:00 INFO started:  a thing\n", 20),
		"levels":  "WARNING:  no workers\n" + strings.Repeat("INFO:     127.0.0.1:5000 - \"GET / HTTP/1.1\" 200 OK\n", 40),
		"level":   strings.Repeat("INFO:     127.0.0.1:5000 - \"GET / HTTP/1.1\" 200 OK\n", 40),
		"unzip": "Archive:  doc.whl\n  Length      Date    Time    Name\n---------  ---------- -----   ----\n" +
			strings.Repeat("      476  2024-05-05 18:12   doc/__init__.py\n", 20) + "---------                     -------\n     9520                     20 files\n",
		"short": "Name:   a\nState:  b\n",
		"prose": "Note:  this is a text\n" + strings.Repeat("that goes on for some lines without a key in it\n", 20),
	} {
		if o := records.ParseDescribed([]byte(text)); o != nil {
			t.Errorf("%s: %s", name, o.Text())
		}
	}
}

func FuzzParseDescribed(f *testing.F) {
	f.Add([]byte(describedPods))
	f.Add([]byte(strings.Repeat("a:  b\n  c:  d\n    e\n", 9)))
	f.Fuzz(func(t *testing.T, text []byte) {
		o := records.ParseDescribed(text)
		if o == nil {
			return
		}
		if n := strings.Count(string(o.Text()), "\n"); n != o.Len() {
			t.Fatalf("%d lines, not %d", o.Len(), n)
		}
		for i := range o.Len() {
			if r := o.Rank(i); r.Score < 1 || r.Score > 100 {
				t.Fatalf("line %d: %+v", i, r)
			}
		}
	})
}

// A listing under a title is no object, although its lines are indented: it is read as a table.
func TestListingsUnderATitleAreNotDescribed(t *testing.T) {
	text := "Archive:  wheel.whl\n  Length      Date    Time    Name\n---------  ---------- -----   ----\n"
	for i := range 40 {
		text += fmt.Sprintf("    %5d  2024-05-0%d 13:40   pkg/module_%d.py\n", 1200+i*7, i%9+1, i)
	}
	text += "---------                     -------\n    53460                     40 files\n"
	if o := records.ParseDescribed([]byte(text)); o != nil {
		t.Errorf("described as %s", o.Text())
	}
	table := records.ParseText([]byte(text), 1000)
	if table == nil {
		t.Fatal("no table")
	}
	for _, want := range []string{"Archive: wheel.whl\n", "\tpkg/module_0.py\n", "53460", "40 files"} {
		if !strings.Contains(string(table.Text()), want) {
			t.Errorf("%q is missing in\n%s", want, table.Text())
		}
	}
}
