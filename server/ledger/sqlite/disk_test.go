//go:build unix

package sqlite

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// disk is a virtual file system that remembers what each file held when it was last synced: what a power cut leaves at least.
const disk = "disk"

// synced is the contents of files by path, at each of their syncs.
var synced = struct {
	sync.Mutex
	paths   map[uintptr]string // of open files, by their address
	folders map[uintptr]bool   // of files whose next sync is one of their folder, too
	methods map[uintptr]uintptr
	files   map[string][]byte
	fails   map[string]bool // of files by path, whose syncs fail
}{
	paths: map[uintptr]string{}, folders: map[uintptr]bool{}, methods: map[uintptr]uintptr{},
	files: map[string][]byte{}, fails: map[string]bool{},
}

// durable returns what files of a database held when they were last synced, by what their names end in.
func durable(path string) map[string][]byte {
	synced.Lock()
	defer synced.Unlock()
	left := make(map[string][]byte)
	for name, content := range maps.All(synced.files) {
		if suffix, ok := strings.CutPrefix(name, path); ok {
			left[suffix] = content
		}
	}
	return left
}

// failSyncs has the syncs of a file fail from now on, or not.
func failSyncs(path string, fail bool) {
	synced.Lock()
	defer synced.Unlock()
	synced.fails[path] = fail
}

// mountDisk registers the file system, once for the process.
var mountDisk = sync.OnceValue(func() bool {
	tls := libc.NewTLS()
	base := lib.Xsqlite3_vfs_find(tls, 0)
	name, err := libc.CString(disk)
	if base == 0 || err != nil {
		return false
	}
	size := unsafe.Sizeof(lib.Tsqlite3_vfs{})
	shim := libc.Xmalloc(tls, libc.Tsize_t(size))
	libc.Xmemcpy(tls, shim, base, libc.Tsize_t(size))
	vfs := at[lib.Tsqlite3_vfs](shim)
	vfs.FzName = name
	vfs.FpNext = 0
	open := at[lib.Tsqlite3_vfs](base).FxOpen
	vfs.FxOpen = pointer(func(tls *libc.TLS, _, path, file uintptr, flags int32, outFlags uintptr) int32 {
		rc := call(open, (func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32)(nil))(tls, base, path, file, flags, outFlags)
		if rc == lib.SQLITE_OK && path != 0 {
			watch(tls, file, libc.GoString(path), flags&(lib.SQLITE_OPEN_WAL|lib.SQLITE_OPEN_MAIN_JOURNAL) != 0)
		}
		return rc
	})
	remove := vfs.FxDelete
	vfs.FxDelete = pointer(func(tls *libc.TLS, _, path uintptr, syncFolder int32) int32 {
		rc := call(remove, (func(*libc.TLS, uintptr, uintptr, int32) int32)(nil))(tls, base, path, syncFolder)
		if rc == lib.SQLITE_OK && syncFolder != 0 { // else the file may come back
			synced.Lock()
			delete(synced.files, libc.GoString(path))
			synced.Unlock()
		}
		return rc
	})
	return lib.Xsqlite3_vfs_register(tls, shim, 0) == lib.SQLITE_OK
})

// watch has the syncs of an open file remembered.
func watch(tls *libc.TLS, file uintptr, path string, withFolder bool) {
	synced.Lock()
	defer synced.Unlock()
	synced.paths[file] = path
	synced.folders[file] = withFolder
	f := at[lib.Tsqlite3_file](file)
	if synced.methods[f.FpMethods] == 0 {
		synced.methods[f.FpMethods] = watched(tls, f.FpMethods)
	}
	f.FpMethods = synced.methods[f.FpMethods]
}

// watched is the methods of a file, with a sync that remembers.
func watched(tls *libc.TLS, original uintptr) uintptr {
	size := libc.Tsize_t(unsafe.Sizeof(lib.Tsqlite3_io_methods{}))
	shim := libc.Xmalloc(tls, size)
	libc.Xmemcpy(tls, shim, original, size)
	methods := at[lib.Tsqlite3_io_methods](shim)
	xSync := methods.FxSync
	methods.FxSync = pointer(func(tls *libc.TLS, file uintptr, flags int32) int32 {
		synced.Lock()
		path, fails := synced.paths[file], synced.fails[synced.paths[file]]
		synced.Unlock()
		if fails {
			return lib.SQLITE_IOERR_FSYNC
		}
		content, err := os.ReadFile(path) // before the sync: what is written meanwhile may be lost
		rc := call(xSync, (func(*libc.TLS, uintptr, int32) int32)(nil))(tls, file, flags)
		if rc == lib.SQLITE_OK && err == nil {
			remember(file, path, content)
		}
		return rc
	})
	return shim
}

func remember(file uintptr, path string, content []byte) {
	synced.Lock()
	defer synced.Unlock()
	synced.files[path] = content
	if !synced.folders[file] {
		return
	}
	// SQLite syncs the folder with the first sync of a journal, and so what it removed there.
	synced.folders[file] = false
	for name := range synced.files {
		if _, err := os.Stat(name); err != nil && filepath.Dir(name) == filepath.Dir(path) {
			delete(synced.files, name)
		}
	}
}

// kept are functions that only SQLite points to.
var kept []any

// pointer is a function as SQLite calls it, call one of SQLite as Go calls it.
func pointer[T any](f T) uintptr {
	kept = append(kept, f)
	return *(*uintptr)(unsafe.Pointer(&struct{ f T }{f}))
}

func call[T any](p uintptr, _ T) T {
	return *(*T)(unsafe.Pointer(&p))
}

// at is what SQLite has at an address.
func at[T any](p uintptr) *T { return *(**T)(unsafe.Pointer(&p)) }

func onDisk(tb testing.TB) Option {
	tb.Helper()
	if !mountDisk() {
		tb.Fatal("no virtual file system")
	}
	return func(o *options) { o.vfs = disk }
}
