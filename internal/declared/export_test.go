package declared

// CostOf is for the test that compares it with what package errs makes.
var CostOf = costOf
