package rules

import (
	"strings"
	"unicode/utf8"

	"github.com/remedyrpc/remedy/server/ledger"
)

// CheckNames refuses a claim with a name that not every database keeps as it is, by [ledger.ErrName]. It is asked before
// [Claim], which knows no errors.
func CheckNames(claim ledger.Claim) error {
	for _, name := range []string{
		claim.Tenant, claim.Scope, claim.Tool, claim.Key.Key,
		claim.ID, claim.Attempt, claim.Version, claim.Principal, claim.RunID,
	} {
		if !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
			return ledger.ErrName
		}
	}
	return nil
}

// keepable makes a text one that every database keeps as it is. No text decides anything, so it need not be refused.
func keepable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
