// Package identity says who makes a call: the user at the other end of a Unix socket, as the kernel knows it, or the bearer
// of a token. A caller may be confined to one session.
package identity
