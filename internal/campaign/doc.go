// Package campaign kills daemons and looks what is left: at every place that package crashpoint names, at any other moment, with
// several daemons on one database, and behind a proxy that retries what it should not. What is checked is the promise: equal
// retries converge on one receipt, and at most one effect crosses the boundary per operation key.
//
// It consists of tests, which are compiled with the build tag crashpoint, on Linux:
//
//	make crash-short replicas-short
//	make crash KILLS=2000
//
// What goes wrong is printed with the seed and the episode, which repeat its plan, and with what the callers were told and the
// trail of the operation; the database, the book of the carrier and the logs are kept. The plan says where and when to kill; how
// far the callers have got by then is up to the machine.
package campaign
