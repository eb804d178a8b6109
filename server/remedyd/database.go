package remedyd

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/postgres"
	"github.com/remedyrpc/remedy/server/ledger/sqlite"
)

// kind is a kind of database.
type kind int

const (
	inMemory kind = iota
	sqliteFile
	postgresURL
)

// database is what --db names.
type database struct {
	kind kind
	// name is the file, or the URL with its password: it is for the store and for nobody else.
	name string
	// standard says that nobody named it.
	standard bool
}

// String is what may be shown of it.
func (d database) String() string {
	switch d.kind {
	case sqliteFile:
		return d.name
	case postgresURL:
		u, err := url.Parse(d.name)
		if err != nil {
			return "postgres://…" // the error would show it
		}
		shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path} // a query may hold a password, too
		if u.User.Username() != "" {
			shown.User = url.User(u.User.Username())
		}
		return shown.String()
	default:
		return "memory"
	}
}

// What no file is called: a URL of another kind, or one that is mistyped, a DSN in words, and what begins with user:password@.
// Who means a file of such a name writes ./ before it. None of them is shown: they may hold a password.
var (
	otherURL = regexp.MustCompile(`^\s*([a-zA-Z][a-zA-Z0-9+.-]+):/`)
	wordDSN  = regexp.MustCompile(`^\s*(host|hostaddr|port|user|password|dbname|sslmode|service)\s*=`)
	userinfo = regexp.MustCompile(`^[^/\\]*:[^/\\]*@`)
)

// databaseOf reads --db.
func (p *program) databaseOf(text string) (database, error) {
	switch {
	case text == "memory":
		return database{kind: inMemory}, nil
	case strings.HasPrefix(text, "postgres://"), strings.HasPrefix(text, "postgresql://"):
		name, err := withTimeout(text)
		return database{kind: postgresURL, name: name}, err
	case otherURL.MatchString(text):
		return database{}, fmt.Errorf("--db %s:… is no database that is known: name a file by its path, postgres://…, or memory",
			otherURL.FindStringSubmatch(text)[1])
	case wordDSN.MatchString(text):
		return database{}, errors.New("--db looks like a DSN in words: write it as postgres://user:password@host/database, or a file as ./name")
	case userinfo.MatchString(text):
		return database{}, errors.New("--db looks like a DSN with a password: write it as postgres://user:password@host/database, or a file " +
			"as ./name")
	case text != "":
		path, err := filepath.Abs(text)
		if err != nil {
			return database{}, fmt.Errorf("--db: %w", err)
		}
		return database{kind: sqliteFile, name: path}, nil
	}
	folder, err := stateFolder(p.name, os.Getenv)
	return database{kind: sqliteFile, name: filepath.Join(folder, "operations.db"), standard: true}, err
}

// withTimeout has connecting end after a while, unless the URL says something else.
func withTimeout(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil {
		return "", errors.New("--db is no URL: in user and password write %40 for @, %2F for / and so on") // err shows it
	}
	query := u.Query()
	if !query.Has("connect_timeout") {
		query.Set("connect_timeout", "10")
		u.RawQuery = query.Encode()
	}
	return u.String(), nil
}

// stateFolder is where a program keeps what has to outlive it: what systemd gives it, or its own folder of the user's.
func stateFolder(program string, getenv func(string) string) (string, error) {
	if folder, _, _ := strings.Cut(getenv("STATE_DIRECTORY"), ":"); filepath.IsAbs(folder) {
		return folder, nil
	}
	if state := getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, program), nil
	}
	home := getenv("HOME")
	if !filepath.IsAbs(home) {
		found, err := os.UserHomeDir()
		if err != nil {
			return "", errors.New("there is no home folder to keep operations in: name a file with --db")
		}
		home = found
	}
	return filepath.Join(home, ".local", "state", program), nil
}

// open opens the database. In memory it is the server's own, and nil.
func (f *flags) open(ctx context.Context) (ledger.Ledger, error) { //nolint:ireturn // one of several
	switch f.database.kind {
	case sqliteFile:
		l, err := sqlite.Open(ctx, f.database.name, f.sqliteOptions()...)
		if err != nil {
			return nil, f.database.fault(err)
		}
		return l, nil
	case postgresURL:
		l, err := postgres.Open(ctx, f.database.name, f.postgresOptions()...)
		if err != nil {
			return nil, f.database.fault(err)
		}
		return l, nil
	default:
		return nil, nil //nolint:nilnil // as the comment says
	}
}

func (f *flags) sqliteOptions() []sqlite.Option {
	options := []sqlite.Option{sqlite.WithMaxOperations(int64(f.MaxOperations)), sqlite.WithClock(crashClock())}
	if f.DBDurability == "process" {
		options = append(options, sqlite.WithDurability(sqlite.Process))
	}
	if !f.DBCheck {
		options = append(options, sqlite.WithoutCheck())
	}
	return options
}

func (f *flags) postgresOptions() []postgres.Option {
	return []postgres.Option{postgres.WithMaxOperations(int64(f.MaxOperations)), postgres.WithClock(crashClock())}
}

// makeFolder makes the folder of a database that nobody named.
func (d database) makeFolder() error {
	if d.kind != sqliteFile || !d.standard {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(d.name), 0o700); err != nil {
		return fmt.Errorf("the folder of the database: %w: name a file with --db", err)
	}
	return nil
}

// hasFolder is an error where the folder of a file is neither there nor made.
func (d database) hasFolder() error {
	if _, err := os.Stat(filepath.Dir(d.name)); err != nil && !d.standard {
		return fmt.Errorf("the database file %s: its folder does not exist; make it: %w", d.name, err)
	}
	return nil
}

// emptier is a store that knows whether there is any operation in it.
type emptier interface {
	Empty(ctx context.Context) (bool, error)
}

var _, _ emptier = (*sqlite.Ledger)(nil), (*postgres.Ledger)(nil)

// databaseError is a database that cannot be used.
type databaseError struct{ error }

func (e databaseError) Unwrap() error { return e.error }

// fault names the flag. What is wrong, and what to do about it, the store says; that of a file names that, too.
func (d database) fault(err error) error {
	if d.kind == sqliteFile {
		return databaseError{fmt.Errorf("--db: %w", err)}
	}
	return databaseError{fmt.Errorf("--db %s: %w", d, err)}
}
