package catalog

import (
	"go/token"
	"path"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/remedyrpc/remedy/internal/declared"
)

// goType is the Go type of an error and the import path of its package. Both are empty where the proto does not say the package
// or its names are not of the usual form, which generators change.
func goType(e *declared.Error) (name, pkg string) {
	if e.IsBuiltin() {
		return "*errs." + string(e.Message.Name()), "github.com/remedyrpc/remedy/errs"
	}
	options, _ := e.Message.ParentFile().Options().(*descriptorpb.FileOptions)
	pkg, short, named := strings.Cut(options.GetGoPackage(), ";")
	if !named {
		short = path.Base(pkg)
	}
	relative := strings.TrimPrefix(string(e.Message.FullName()), e.Domain()+".")
	if !token.IsIdentifier(short) || strings.Contains(relative, "_") {
		return "", ""
	}
	for part := range strings.SplitSeq(relative, ".") {
		if !token.IsExported(part) {
			return "", ""
		}
	}
	return "*" + short + "." + strings.ReplaceAll(relative, ".", "_") + "Error", pkg
}
