package contract

import (
	"slices"
	"strings"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors/internal/promise"
)

// permits are the errors that a contract lists.
type permits struct {
	// tool says that remedy.v1.ToolError is listed: every error that a ToolError carries is permitted.
	tool bool
	// errors are those of the messages that are linked in.
	errors map[errs.Sentinel]bool
	// unknown are the full names of the others.
	unknown []string
}

// permitsOf looks the listed messages up.
func permitsOf(names []string) permits {
	p := permits{errors: make(map[errs.Sentinel]bool)}
	for _, name := range names {
		domain, options := promise.Error(name)
		switch {
		case name == errs.DomainRemedy+".ToolError":
			p.tool = true
		case options == nil:
			p.unknown = append(p.unknown, name)
		default:
			p.permit(domain, options.GetCode())
			for _, each := range options.GetCases() {
				p.permit(domain, each.GetError().GetCode())
			}
		}
	}
	return p
}

func (p *permits) permit(domain, code string) {
	if code != "" {
		p.errors[errs.Sentinel{Domain: domain, Code: code}] = true
	}
}

// include reports whether an error of ours is listed.
func (p *permits) include(domain string, code errs.Code) bool {
	if p.errors[errs.Sentinel{Domain: domain, Code: string(code)}] || p.tool && domain != errs.DomainRemedy {
		return true
	}
	return slices.ContainsFunc(p.unknown, func(name string) bool { return strings.HasPrefix(name, domain+".") })
}
