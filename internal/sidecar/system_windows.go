package sidecar

// noFollow is nothing: no address file is read here.
const noFollow = 0
