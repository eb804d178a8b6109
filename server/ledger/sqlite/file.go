package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// file is the path of the database.
type file string

// find is the file of a path, which may not be there yet.
func find(path string) (file, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("the database file %s: %w", path, err)
	}
	if target, err := filepath.EvalSymlinks(absolute); err == nil {
		absolute = target // two names of one file share one lock
	}
	f := file(absolute)
	info, err := os.Stat(absolute)
	switch _, link := os.Readlink(absolute); {
	case err == nil && !info.Mode().IsRegular():
		return "", fmt.Errorf("the database file %s is no file: name a file in that folder", f)
	case err == nil:
		return f, onlyName(f, info)
	case !errors.Is(err, fs.ErrNotExist):
		return "", f.unmade("looking at it", err)
	case link == nil:
		return "", fmt.Errorf("the database file %s is a link, and what it leads to is not there: mount that, make it, or "+
			"remove the link", f)
	default:
		return f, nil
	}
}

// syncFolder makes the names in a folder durable.
func syncFolder(path string) error {
	folder, err := os.Open(path) //nolint:gosec // the path is of whoever runs the server
	if err != nil {
		return fmt.Errorf("folder of the database file: %w", err)
	}
	err = folder.Sync()
	if errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, folder.Close())
}

// dsn is the name under which the driver opens the file, with the settings of the connection.
func (f file) dsn(o *options, pragmas ...string) string {
	path := filepath.ToSlash(string(f))
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	query := url.Values{"mode": {"rw"}, "_pragma": pragmas} // it is there, or was lost
	if o.vfs != "" {
		query.Set("vfs", o.vfs)
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: query.Encode()}).String()
}
