// Package hosts runs real agent hosts against a scripted model, with and without toolresult, and looks at the request in
// which the model reads the result of its call. `make hosts` installs the hosts from the lock file beside this one.
package hosts
