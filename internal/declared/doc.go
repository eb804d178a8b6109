// Package declared reads the errors and contracts that protos declare, and finds what is wrong with them. The generator, the
// catalog and the linter share it, so that what one of them accepts none of the others refuses.
//
//	set := declared.Read(files)
//	for _, problem := range set.Check() {
//		fmt.Println(problem) // shop/v1/shop.proto:12:3: shop.v1.SlotStale: …
//	}
//
// It works on descriptors alone, with source positions where they have them, and never imports package errs.
package declared
