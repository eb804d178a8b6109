// Package limits bounds what a call may take: its time, how many run at once, and how many a tenant may start. It also
// ends a handler a little before its caller stops listening, because the details of an error that is sent later never
// arrive.
package limits
