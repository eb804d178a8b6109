// Package shop is a small business in memory: orders to cancel, slots to book, payments to send. Its tools are what the
// demo, the tests and the documentation call, and every error of theirs has its reason in the state of the shop: an order
// is shipped, a calendar was published again, an account changed, a bank loses its answers.
//
// It is deterministic, waits for nothing and never sleeps.
package shop
