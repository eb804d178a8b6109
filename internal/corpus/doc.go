// Package corpus holds what code is generated from the strangest protos that are right, with the code, which its tests hold
// to what every declared error promises. internal/generate has the protos that are wrong.
package corpus
