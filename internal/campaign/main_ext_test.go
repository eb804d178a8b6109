//go:build crashpoint && linux

package campaign_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Flags of the test program, to be given after -args.
var (
	killsFlag   = flag.Int("kills", 50, "kills of a crash campaign on one store")
	seedFlag    = flag.Uint64("seed", 0, "what the plan is made of; 0 takes another one each time")
	episodeFlag = flag.Int("episode", -1, "the only episode of a crash campaign to run, to repeat it")
	worldsFlag  = flag.Int("worlds", 3, "episodes at once")
	chaosFlag   = flag.Duration("chaos", 30*time.Second, "how long replicas are killed and stopped")
)

// program is the daemon.
var program string

func TestMain(m *testing.M) {
	flag.Parse()
	if *seedFlag == 0 {
		*seedFlag = uint64(time.Now().UnixNano())
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "campaign-build-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	program = filepath.Join(folder, "remedyd")
	build := exec.Command("go", "build", "-tags", "crashpoint", "-o", program, "github.com/remedyrpc/remedy/cmd/remedyd")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the daemon: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}
