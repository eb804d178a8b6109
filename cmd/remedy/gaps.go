package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/source"
	"github.com/remedyrpc/remedy/internal/declared"
)

// gaps says what protos lack although something speaks for it that they had it once.
func gaps(files *source.Files, set *declared.Set) []string {
	var found []string
	if files.Kind != source.Folder {
		for _, name := range set.Bare {
			found = append(found, fmt.Sprintf("%s imports remedy/v1/options.proto and uses nothing of it: "+
				"what it declares seems to have been dropped from this %s; read its protos instead", name, files.Kind))
		}
	}
	for _, service := range files.Undescribed {
		found = append(found, fmt.Sprintf("the server lists %s and does not describe it: read its protos instead", service))
	}
	return found
}

// notes says what cannot be known.
func notes(files *source.Files, set *declared.Set) []string {
	if files.Kind != source.Server {
		return nil
	}
	silent := make(map[string]bool)
	for _, m := range set.Methods {
		if m.Contract == nil && files.IsOwn(m.Method.ParentFile().Path()) {
			silent[string(m.Method.Parent().FullName())] = true
		}
	}
	for _, m := range set.Methods {
		if m.Contract != nil {
			delete(silent, string(m.Method.Parent().FullName()))
		}
	}
	if len(silent) == 0 {
		return nil
	}
	return []string{"No method of these services has a contract, and reflection does not tell whether none was written or the server " +
		"dropped it: " + strings.Join(slices.Sorted(maps.Keys(silent)), ", ") + "."}
}

// nothing is the error of protos of which there is nothing to say.
func nothing(files *source.Files, set *declared.Set, name string) error {
	err := fmt.Errorf("%s: %s no error and no contract", name, plural(files.Own(), "file declares", "files declare"))
	if found := gaps(files, set); len(found) > 0 {
		err = fmt.Errorf("%w: %s", err, strings.Join(found, "; "))
	} else if files.Kind == source.Server {
		err = fmt.Errorf("%w; reflection does not tell whether none was written or the server dropped them: read its protos instead", err)
	} else {
		err = fmt.Errorf("%w; give the protos that have (remedy.v1.error) or (remedy.v1.contract) options", err)
	}
	if files.Kind == source.Server {
		return notReadError{err}
	}
	return usageError{err}
}
