package identity_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/toolresult/toolresult/server/identity"
)

func TestGroupsByNameOrID(t *testing.T) {
	t.Parallel()
	ids, err := identity.Groups([]string{"root", "50", "4294967294"})
	if err != nil || !slices.Equal(ids, []uint32{0, 50, 4294967294}) {
		t.Errorf("%v, %v", ids, err)
	}
	for _, name := range []string{"there-is-no-such-group", "-1", "4294967296"} {
		if ids, err := identity.Groups([]string{name}); err == nil {
			t.Errorf("%q is %v", name, ids)
		}
	}
}

// TestMembersOfAllowedGroups connects with the groups of this process: the first, and supplementary ones if it has any.
func TestMembersOfAllowedGroups(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "id")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	handshake := func(groups ...uint32) error {
		client, err := net.Dial("unix", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = client.Close() }()
		conn, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		_, _, err = identity.PeerCredentials{Groups: groups}.ServerHandshake(conn)
		return err
	}
	own := map[uint32]bool{uint32(os.Getegid()): true}
	supplementary, err := os.Getgroups()
	if err != nil {
		t.Fatal(err)
	}
	for _, gid := range supplementary {
		own[uint32(gid)] = true
	}
	stranger := uint32(4_000_000_000)
	for gid := range own {
		if err := handshake(stranger, gid); err != nil {
			t.Errorf("group %d: %v", gid, err)
		}
	}
	for _, groups := range [][]uint32{nil, {stranger}} {
		if err := handshake(groups...); !errors.Is(err, identity.ErrForeignUser) {
			t.Errorf("groups %v: %v", groups, err)
		}
	}
}
