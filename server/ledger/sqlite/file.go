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

// prepare finds the file, or makes an empty one that only its owner may read; SQLite gives its log the same rights.
func prepare(path string) (file, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("the database file %s: %w", path, err)
	}
	if target, err := filepath.EvalSymlinks(absolute); err == nil {
		absolute = target // two names of one file share one lock
	}
	info, err := os.Stat(absolute)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return "", fmt.Errorf("the database file %s is no file: name a file in that folder", absolute)
	case err == nil:
		return file(absolute), nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("the database file: %w", err)
	}
	f, err := os.OpenFile(absolute, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // the path is of whoever runs the server
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("the database file %s: its folder does not exist; make it: %w", absolute, err)
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("the database file %s: give this user the right to write in its folder: %w", absolute, err)
	case errors.Is(err, fs.ErrExist):
		return file(absolute), nil // another process made it; the lock decides
	case err != nil:
		return "", fmt.Errorf("the database file: %w", err)
	}
	if err := errors.Join(f.Close(), syncFolder(filepath.Dir(absolute))); err != nil {
		return "", fmt.Errorf("making the database file: %w", err)
	}
	return file(absolute), nil
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
	query := url.Values{"_pragma": pragmas}
	if o.vfs != "" {
		query.Set("vfs", o.vfs)
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: query.Encode()}).String()
}
