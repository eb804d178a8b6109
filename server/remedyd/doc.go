// Package remedyd is a daemon for tools of one's own: the server over gRPC, its ledger, flags, logs and an orderly stop. The
// whole program is
//
//	func main() {
//		book := server.NewTool("book_table", "Book a table.", server.Tool[Booking, Booked]{ … })
//		remedyd.Main(book)
//	}
//
// Its --help lists every flag, each of which is a variable REMEDY_… as well. Operations are kept in an SQLite file unless --db
// names something else, so this package links every driver; package server links none. Who wants other interceptors or
// identities writes that program with package server instead.
//
// Callers are not authenticated in this version: on loopback they say themselves who they are, for development, and each is an
// operator; on other addresses all are one and nobody is.
package remedyd
