// Package provider tells what a failed call to a model provider means: that the context window was exceeded, that tool
// calls and results do not pair up, that a credential failed, that a limit was reached, or that the call was aborted; and
// whether a retry is likely to help. [Classify] reads status, headers, body or error, in whatever envelope a client, a proxy
// or a gateway put them; [ToTypedError] makes the error of errs from what it found.
//
//	found := provider.Classify(provider.Failure{Provider: "anthropic", Status: res.StatusCode, Header: res.Header, Body: body})
//	return provider.ToTypedError(found, "anthropic", err)
//
// It is a plain library: it compiles no SDK and no server, sends nothing, and retries nothing. A body is data: its text is
// never a headline and never an instruction, and of a large one only head and tail are read. What the wordings, codes and
// statuses of providers mean stands in tables, each row with its reason and its source; where they contradict each other, DECISIONS.md
// says what holds.
package provider
