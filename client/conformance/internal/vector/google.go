package vector

import (
	"fmt"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"
)

// Google is what a client that knows nothing but google.rpc reads from a status.
type Google struct {
	// Details are the type URLs, in order.
	Details []string `json:"details,omitempty"`
	// Reason, Domain and Metadata are those of ErrorInfo.
	Reason   string            `json:"reason,omitempty"`
	Domain   string            `json:"domain,omitempty"`
	Metadata map[string]string `json:"metadata,omitempty"`
	// RetryDelay is that of RetryInfo, a google.protobuf.Duration.
	RetryDelay             string                  `json:"retryDelay,omitempty"`
	FieldViolations        []FieldViolation        `json:"fieldViolations,omitempty"`
	QuotaViolations        []QuotaViolation        `json:"quotaViolations,omitempty"`
	PreconditionViolations []PreconditionViolation `json:"preconditionViolations,omitempty"`
	ResourceType           string                  `json:"resourceType,omitempty"`
	ResourceName           string                  `json:"resourceName,omitempty"`
	Links                  []Link                  `json:"links,omitempty"`
}

// FieldViolation is one of BadRequest.
type FieldViolation struct {
	Field       string `json:"field"`
	Reason      string `json:"reason"`
	Description string `json:"description"`
}

// QuotaViolation is one of QuotaFailure.
type QuotaViolation struct {
	Subject     string `json:"subject"`
	Description string `json:"description"`
}

// PreconditionViolation is one of PreconditionFailure.
type PreconditionViolation struct {
	Type        string `json:"type"`
	Subject     string `json:"subject"`
	Description string `json:"description"`
}

// Link is one of Help.
type Link struct {
	Description string `json:"description"`
	URL         string `json:"url"`
}

// Generic reads a status with google.rpc alone.
func Generic(st *status.Status) (*Google, error) { //nolint:cyclop // one case a type
	g := &Google{}
	for _, detail := range st.Proto().GetDetails() {
		g.Details = append(g.Details, detail.GetTypeUrl())
	}
	for _, detail := range st.Details() {
		switch m := detail.(type) {
		case error:
			continue // a type that is not known here
		case *errdetails.ErrorInfo:
			if g.Reason != "" {
				return nil, fmt.Errorf("a second ErrorInfo, %v", m)
			}
			g.Reason, g.Domain, g.Metadata = m.GetReason(), m.GetDomain(), m.GetMetadata()
		case *errdetails.RetryInfo:
			g.RetryDelay = durationText(m.GetRetryDelay().AsDuration())
		case *errdetails.BadRequest:
			for _, v := range m.GetFieldViolations() {
				g.FieldViolations = append(g.FieldViolations,
					FieldViolation{Field: v.GetField(), Reason: v.GetReason(), Description: v.GetDescription()})
			}
		case *errdetails.QuotaFailure:
			for _, v := range m.GetViolations() {
				g.QuotaViolations = append(g.QuotaViolations, QuotaViolation{Subject: v.GetSubject(), Description: v.GetDescription()})
			}
		case *errdetails.PreconditionFailure:
			for _, v := range m.GetViolations() {
				g.PreconditionViolations = append(g.PreconditionViolations,
					PreconditionViolation{Type: v.GetType(), Subject: v.GetSubject(), Description: v.GetDescription()})
			}
		case *errdetails.ResourceInfo:
			g.ResourceType, g.ResourceName = m.GetResourceType(), m.GetResourceName()
		case *errdetails.Help:
			for _, l := range m.GetLinks() {
				g.Links = append(g.Links, Link{Description: l.GetDescription(), URL: l.GetUrl()})
			}
		}
	}
	return g, nil
}

// ListCost is the size of the trailer list that carries a status, as HTTP/2 counts it: 246 bytes for :status, content-type,
// grpc-status, the names of grpc-message and grpc-status-details-bin and 32 bytes an entry, the message percent-encoded, and
// the details in base64.
func ListCost(details []byte, message string) int {
	const fixed = 246
	cost := fixed + (4*len(details)+2)/3
	for i := range len(message) {
		if c := message[i]; c < ' ' || c > '~' || c == '%' {
			cost += len("%00")
		} else {
			cost++
		}
	}
	return cost
}
