package corpus_test

import (
	"github.com/remedyrpc/remedy/internal/corpus/alias"
	_ "github.com/remedyrpc/remedy/internal/corpus/alias/base"
	_ "github.com/remedyrpc/remedy/internal/corpus/alias/cc"
	_ "github.com/remedyrpc/remedy/internal/corpus/alias/contract"
	_ "github.com/remedyrpc/remedy/internal/corpus/alias/e"
	_ "github.com/remedyrpc/remedy/internal/corpus/alias/errs"
	_ "github.com/remedyrpc/remedy/internal/corpus/alias/grpc"
	_ "github.com/remedyrpc/remedy/internal/corpus/alias/m"
	_ "github.com/remedyrpc/remedy/internal/corpus/alias/message"
	_ "github.com/remedyrpc/remedy/internal/corpus/alias/options"
	_ "github.com/remedyrpc/remedy/internal/corpus/alias/proto"
	_ "github.com/remedyrpc/remedy/internal/corpus/alias/slog"
	_ "github.com/remedyrpc/remedy/internal/corpus/alias/status"
	_ "github.com/remedyrpc/remedy/internal/corpus/alias/sync"
	_ "github.com/remedyrpc/remedy/internal/corpus/alias/target"
	"github.com/remedyrpc/remedy/internal/corpus/bound"
	"github.com/remedyrpc/remedy/internal/corpus/comment"
	"github.com/remedyrpc/remedy/internal/corpus/deep"
	"github.com/remedyrpc/remedy/internal/corpus/edition"
	"github.com/remedyrpc/remedy/internal/corpus/edition2024"
	"github.com/remedyrpc/remedy/internal/corpus/empty"
	formscapital "github.com/remedyrpc/remedy/internal/corpus/forms/Capital"
	formsdashed "github.com/remedyrpc/remedy/internal/corpus/forms/dash-ed"
	formsdotted "github.com/remedyrpc/remedy/internal/corpus/forms/dot.ted"
	formsfunc "github.com/remedyrpc/remedy/internal/corpus/forms/func"
	formsnamed "github.com/remedyrpc/remedy/internal/corpus/forms/named"
	formspath "github.com/remedyrpc/remedy/internal/corpus/forms/path"
	formsversionedv2 "github.com/remedyrpc/remedy/internal/corpus/forms/versioned/v2"
	"github.com/remedyrpc/remedy/internal/corpus/headline"
	"github.com/remedyrpc/remedy/internal/corpus/keyword"
	keywordtypev1 "github.com/remedyrpc/remedy/internal/corpus/keyword/type/v1"
	"github.com/remedyrpc/remedy/internal/corpus/kinds"
	"github.com/remedyrpc/remedy/internal/corpus/nested"
	_ "github.com/remedyrpc/remedy/internal/corpus/nothing"
	"github.com/remedyrpc/remedy/internal/corpus/one"
	"github.com/remedyrpc/remedy/internal/corpus/outdated"
	"github.com/remedyrpc/remedy/internal/corpus/pair"
	"github.com/remedyrpc/remedy/internal/corpus/proto2"
	"github.com/remedyrpc/remedy/internal/corpus/public"
	"github.com/remedyrpc/remedy/internal/corpus/recursive"
	sameleft "github.com/remedyrpc/remedy/internal/corpus/same/left"
	sameright "github.com/remedyrpc/remedy/internal/corpus/same/right"
	"github.com/remedyrpc/remedy/internal/corpus/service"
	"github.com/remedyrpc/remedy/internal/corpus/serviceonly"
	"github.com/remedyrpc/remedy/internal/corpus/wellknown"
)

// constructors are those of all errors of the corpus; a test finds the ones that are missing.
var constructors = []any{
	alias.NewErrs, alias.NewProto, alias.NewStatus, alias.NewSync, alias.NewSlog, alias.NewContract, alias.NewGrpc,
	alias.NewTimestamppb, alias.NewContext, bound.NewLargest, bound.NewWide, comment.NewCommented, comment.NewTrailing,
	comment.NewCrlf, deep.NewTooDeep, edition.NewHybrid, edition.NewOpaque, edition.NewOpen, empty.NewNothing,
	formscapital.NewTaken, formsdashed.NewTaken, formsdotted.NewTaken, formsnamed.NewTaken, formspath.NewTaken,
	formsversionedv2.NewTaken, headline.NewShown, headline.NewUnicode, headline.NewBare, headline.NewAllActions,
	headline.NewNeverWithPlan, headline.NewPlanWithoutSteps, headline.NewEmptyPlan, keyword.NewInt, keyword.NewNil,
	keyword.NewNilMake, keyword.NewLowerSnakeCase, keyword.NewXLeading, keywordtypev1.NewFunc, keywordtypev1.NewRange,
	keywordtypev1.NewType, keywordtypev1.NewString, kinds.NewScalar, kinds.NewOptional, kinds.NewRepeated, kinds.NewMapped,
	kinds.NewChoice, kinds.NewHighNumbers, nested.NewOuter_Inner, nested.NewOuter_Inner_Innermost,
	nested.NewOuter_Between_Deep, nested.NewParent, nested.NewParent_Child, one.NewGone,
	outdated.NewOld, //nolint:staticcheck // generated although it is deprecated
	pair.NewFirstStale,
	pair.NewSecondStale, proto2.NewRequired, proto2.NewExtensionOnly, proto2.NewHasAlias, recursive.NewCycle,
	recursive.NewOther, sameleft.NewSame, sameright.NewSame, service.NewBusy, service.NewStale, service.NewPaid,
	service.NewMaybePaid, wellknown.NewWellKnown, edition2024.NewNewest, formsfunc.NewTaken, public.NewMissing,
}

// clients are all typed clients of the corpus.
var clients = []any{
	alias.NewTypedErrorsClient, comment.NewTypedCommentsClient, formsversionedv2.NewTypedFormsClient,
	keyword.NewTypedMapClient, keyword.NewTypedErrorClient,
	outdated.NewTypedShopClient, //nolint:staticcheck // as above
	pair.NewTypedFirstServiceClient,
	pair.NewTypedSecondServiceClient, service.NewTypedStoreClient, service.NewTypedPlainClient, service.NewTypedEmptyClient,
	service.NewTypedLowerCaseClient, serviceonly.NewTypedOnlyClient, edition2024.NewTypedNewestServiceClient,
	public.NewTypedPublicServiceClient,
}
