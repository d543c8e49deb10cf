// Package browser tests the page of `toolresult inspect` in Chromium: what people see of hostile output, of outputs of a gigabyte and
// of a log of 100,000 records; keys, dark and light, the width of a phone; and axe-core, which finds what keeps people with disabilities
// out. It is a module of its own, so that the driver of the browser reaches no user of the client package.
package browser
