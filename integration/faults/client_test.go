package faults_test

func uploadForEver() error { return nil }
