package generate

import (
	"flag"
	"fmt"
	"strconv"

	"github.com/remedyrpc/remedy/internal/authored"
)

// Settings are the options of one run of the plugin.
type Settings struct {
	// External are tools that plans may name although no contract of the files has them.
	External []string
	// NoClients leaves typed clients out, for files that protoc-gen-go-grpc is not run on.
	NoClients bool
}

// Flags returns a flag for each option, as the plugin takes them.
func (s *Settings) Flags() *flag.FlagSet {
	var flags flag.FlagSet
	flags.Func("external_tools", "", func(name string) error {
		if !authored.IsTool(name) {
			return fmt.Errorf("external_tools=%s names no tool: write 1 to %d of A-Z, a-z, 0-9 and _ . / -, and repeat the option for others",
				name, authored.MaxName)
		}
		s.External = append(s.External, name)
		return nil
	})
	flags.BoolFunc("clients", "", func(text string) error {
		clients, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("clients=%s: write clients=true or clients=false", text)
		}
		s.NoClients = !clients
		return nil
	})
	return &flags
}
