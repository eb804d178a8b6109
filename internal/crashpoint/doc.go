// Package crashpoint ends the process at a named place, where a campaign wants to know what is left after that. It does
// nothing unless it is compiled with the build tag crashpoint.
package crashpoint
