package telemetry

import (
	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/errs"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// catalog returns the series of every error that the contract declares.
func catalog() []series {
	var all []series
	messages := remedyv1.File_remedy_v1_errors_proto.Messages()
	for i := range messages.Len() {
		options, ok := proto.GetExtension(messages.Get(i).Options(), remedyv1.E_Error).(*remedyv1.ErrorOptions)
		if !ok || options == nil {
			continue
		}
		if options.GetDiscriminator() == "" {
			all = append(all, seriesOf(options))
		}
		for _, c := range options.GetCases() {
			all = append(all, seriesOf(c.GetError()))
		}
	}
	return all
}

func seriesOf(options *remedyv1.ErrorOptions) series {
	return series{errs.Code(options.GetCode()), errs.RetryPolicy(options.GetRetry())}
}
