// Package steps finds the steps of a log. CI services, make and build tools run
// steps that have an end of their own, and their logs say which of them ended
// well: what sounds like an error there was no reason to stop. After the exit that
// failed, they clean up, and an error there explains nothing.
//
// A step is taken as ended well only if the log says so, in words or because its
// service begins no further step otherwise.
package steps
