package provider

import (
	"context"
	"crypto/x509"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/remedyrpc/remedy/errs/provider/internal/chain"
)

// socketRules are the wordings of connections that failed under a call. They tell what happened, so that a cancellation that
// one of them names is none of the caller's.
//
//nolint:gosmopolitan // providers in China word their errors in Chinese
var socketRules = sync.OnceValue(func() table {
	var (
		again   = verdict{retry: retryYes}
		unknown = verdict{}
		never   = verdict{retry: retryNo}
	)
	return compile([]rule{
		{
			any: []string{
				`\beconnreset`,
				`\betimedout`,
				`\bepipe`,
			},
			says:   again,
			reason: "the number of the operating system beats the words of a client around it",
			source: "https://github.com/MoonshotAI/kimi-code/issues/2789",
		},
		{
			any: []string{
				`econnrefused`,
				`connection refused`,
				`actively refused`,
				`unable to connect`,
				`could not connect to`,
				`failed to connect`,
				`cannot connect`,
				`connectionrefused`,
				`err_connection_refused`,
				`err_internet_disconnected`,
				`all connection attempts failed`,
				`failedtoopensocket`,
				`max retries exceeded with url`,
			},
			says:   unknown,
			reason: "nobody listens: a server that restarts, or a wrong address",
			source: "decision: retry-absent",
		},
		{
			any: []string{
				`\benotfound`,
				`eai_again`,
				`no such host`,
				`getaddrinfo`,
				`name resolution`,
				`name or service not known`,
				`nodename nor servname`,
				`dns (?:error|lookup|resol)`,
				`could not resolve host`,
				`err_name_not_resolved`,
				`unknownhostexception`,
			},
			says:   unknown,
			reason: "the name has no address: offline for now, or a wrong name",
			source: "decision: retry-absent",
		},
		{
			any: []string{
				`x509`,
				`certificate (?:has expired|verify failed|is not trusted|signed by unknown)`,
				`self[- ]signed certificate`,
				`unable to (?:verify|get local issuer)`,
				`cert_`,
				`self_signed_cert`,
				`unable_to_(?:verify|get)`,
				`err_tls_cert`,
				`invalid peer certificate`,
				`unknownissuer`,
			},
			says:   never,
			reason: "a certificate that is not trusted is not trusted on the next attempt",
			source: "https://pkg.go.dev/crypto/x509#UnknownAuthorityError",
		},
		{
			any: []string{
				`client\.timeout`,
				`timed? ?out\b`,
				`timeouts?\b`,
				`deadline[ _]exceeded while`,
				`read timeout`,
				`the operation took too long`,
				`超时`,
			},
			says:   again,
			reason: "a timeout of the transport or of the provider",
			source: "https://github.com/eryajf/chatgpt-dingtalk/issues/11",
		},
		{
			any: []string{
				`econnaborted`,
				`connection (?:was |has been |is )?(?:reset|closed|aborted|lost|terminated|broken|dropped|interrupted)`,
				`connection error`,
				`reset by peer`,
				`broken pipe`,
				`socket (?:hang up|closed|connection was closed|hangup)`,
				`socket connection was closed`,
				`other side closed`,
				`und_err_socket`,
				`unexpected eof`,
				`\beof\b`,
				`peer closed`,
				`premature(?:ly)? (?:close|end)`,
				`closed prematurely`,
				`remote end closed`,
				`server disconnected`,
				`goaway`,
				`http2: `,
				`stream error`,
				`stream id \d+`,
				`rst_stream`,
				`nghttp2`,
				`err_http2`,
				`use of closed network connection`,
				`transport (?:is )?closing`,
				`enetunreach`,
				`ehostunreach`,
				`network (?:is unreachable|error|connection)`,
				`error reading a body`,
				`error decoding response body`,
				`error sending request`,
				`upstream (?:connect|prematurely)`,
				`fetch failed`,
				`failed to fetch`,
				`request ended without`,
				`network_error`,
				`bad record mac`,
				`connection(?:closed|reset)\b`,
				`premature_close`,
				`payload is not completed`,
				`网络(?:错误|异常|连接)`,
				`连接(?:失败|超时|中断|重置|断开)`,
				`transferencodingerror`,
				`err_connection_(?:reset|closed|aborted|timed_out)`,
				`err_(?:timed_out|network_changed|empty_response|http2_protocol)`,
				`request to (?:\S+ )?failed, reason`,
				`typeerror: terminated`,
				`: terminated\b`,
			},
			says:   again,
			reason: "a connection that broke",
			source: "https://github.com/anomalyco/opencode/issues/1692",
		},
		{
			any: []string{
				`stream (?:disconnected|closed|ended|terminated|interrupted|was interrupted|cut|stalled)`,
				`(?:incomplete|truncated|partial|unterminated|malformed) (?:json|chunk|response|stream|sse|string)`,
				`incomplete (?:chunked )?read`,
				`incompleteread`,
				`unexpected end of (?:json|input|stream|file|data)`,
				`without (?:sending )?(?:any )?(?:chunks|a? ?(?:finish|message_stop|completion|response\.completed|done))`,
				`before (?:response\.completed|completion|message_stop|\[done\]|a? ?finish)`,
				`finish_?reason:? error`,
				`no finish[ _]reason`,
				`stop_?reason:? error`,
				`ended (?:unexpectedly|prematurely|abruptly)`,
				`terminated$`,
				`idle timeout`,
				`empty (?:response|stream)`,
				`no (?:response|output|content|events?) (?:was |were )?(?:received|generated|from)`,
			},
			says:   again,
			reason: "a stream that ended before its end",
			source: "https://github.com/router-for-me/CLIProxyAPI/issues/2358",
		},
	})
})

// abortRules are the wordings of calls that their own caller gave up. Only [Failure.Canceled] proves that; where nothing
// else is known, the text has to do.
var abortRules = sync.OnceValue(func() table {
	return compile([]rule{
		{
			any: []string{
				`context cancell?ed`,
				`aborterror`,
				`(?:request|operation|run|call|stream|query|generation|task|user)(?: [\w<>.-]+)? (?:was |has been |is )?(?:aborted|cancell?ed)`,
				`(?:aborted|cancell?ed) by (?:the )?(?:user|client|caller)`,
				`user (?:aborted|cancell?ed|interrupted)`,
				`the user aborted`,
				`canceledoperation`,
				`^(?:canceled|cancelled|aborted)$`,
				`cancellederror`,
				`cancellationexception`,
				`apiuseraborterror`,
				`interrupted by (?:the )?user`,
				`cancell?ederror: cancell?ed`,
				`cancell?ed on client`,
				`responseaborted`,
				`aborted without reason`,
				`nsurlerrorcancelled|nsurlerrordomain[^0-9]{0,8}-999`,
			},
			says:   verdict{kind: KindAborted},
			reason: "the texts of Go, of fetch and of the SDKs",
			source: "https://github.com/google-gemini/gemini-cli/issues/23509",
		},
	})
})

// transportOf reads the error of a call by its type.
func transportOf(err error) (verdict, bool) {
	is := func(targets ...error) bool {
		return slices.ContainsFunc(targets, func(target error) bool { return chain.Is(err, target) })
	}
	switch dns, isDNS := chain.As[*net.DNSError](err); {
	case isUntrusted(err):
		return verdict{retry: retryNo}, true
	case isDNS && !dns.IsTimeout, is(syscall.ECONNREFUSED):
		return verdict{}, true
	case is(syscall.ECONNRESET, syscall.EPIPE, io.ErrUnexpectedEOF, io.EOF, net.ErrClosed, syscall.ETIMEDOUT):
		return verdict{retry: retryYes}, true
	case isTimeout(err) && !isBareDeadline(err):
		return verdict{retry: retryYes}, true
	default:
		return verdict{}, false
	}
}

// isUntrusted reports whether the certificate of the other side is not one to trust.
func isUntrusted(err error) bool {
	_, authority := chain.As[x509.UnknownAuthorityError](err)
	_, invalid := chain.As[x509.CertificateInvalidError](err)
	_, host := chain.As[x509.HostnameError](err)
	return authority || invalid || host
}

// isTimeout asks an error whether it is a timeout, as long as it can tell.
func isTimeout(err error) (timeout bool) {
	defer func() {
		if recover() != nil {
			timeout = false
		}
	}()
	e, ok := chain.As[net.Error](err)
	return ok && e.Timeout()
}

// isBareDeadline reports whether a timeout is that of a context: nobody can tell whose.
func isBareDeadline(err error) bool {
	_, op := chain.As[*net.OpError](err)
	return chain.Is(err, context.DeadlineExceeded) && !op && !socketRules().matches(fold(chain.Text(err)))
}

// transport reads how the connection failed, where no status tells more.
func (v *view) transport() (verdict, bool) {
	if v.status != 0 {
		return verdict{}, false
	}
	if found, ok := transportOf(v.failure.Err); ok {
		return found, true
	}
	said := strings.ToLower(strings.Join(v.names(), " ")) + "\n" + v.text // Node and Bun name them by code
	if found, ok := socketRules().find(said); ok {
		return found.says, true
	}
	found, ok := abortRules().find(v.text)
	return found.says, ok
}
