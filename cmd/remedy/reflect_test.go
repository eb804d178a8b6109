package main

import (
	"encoding/json"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	refv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	refv1alpha "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/catalog"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/source"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

// listen starts a server on a free port of this host.
func listen(t *testing.T, register func(*grpc.Server), options ...grpc.ServerOption) (addr string) {
	t.Helper()
	server := grpc.NewServer(options...)
	register(server)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		server.Stop()
		<-done
	})
	return listener.Addr().String()
}

// served says which services a server has.
type served []string

func (s served) GetServiceInfo() map[string]grpc.ServiceInfo {
	services := make(map[string]grpc.ServiceInfo)
	for _, name := range s {
		services[name] = grpc.ServiceInfo{}
	}
	return services
}

// imageOf returns the files of a folder, imports first, as edit leaves them.
func imageOf(t *testing.T, dir string, edit func(*descriptorpb.FileDescriptorProto)) *descriptorpb.FileDescriptorSet {
	t.Helper()
	files, err := source.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	set := &descriptorpb.FileDescriptorSet{}
	for _, file := range files.All {
		p := protoutil.ProtoFromFileDescriptor(file)
		if edit != nil {
			edit(p)
		}
		set.File = append(set.File, p)
	}
	return set
}

// drop drops every option, as some servers do.
func drop(file *descriptorpb.FileDescriptorProto) {
	for _, m := range file.GetMessageType() {
		m.Options = nil
		for _, nested := range m.GetNestedType() {
			nested.Options = nil
		}
	}
	for _, s := range file.GetService() {
		for _, m := range s.GetMethod() {
			m.Options = nil
		}
	}
}

// options are those of a server that has the good protos, as edit leaves them.
func options(t *testing.T, edit func(*descriptorpb.FileDescriptorProto), services ...string) reflection.ServerOptions {
	t.Helper()
	files, err := protodesc.NewFiles(imageOf(t, good, func(file *descriptorpb.FileDescriptorProto) {
		file.SourceCodeInfo = nil // as in generated code
		if edit != nil {
			edit(file)
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	return reflection.ServerOptions{Services: served(services), DescriptorResolver: files, ExtensionResolver: new(protoregistry.Types)}
}

func TestCatalogByReflection(t *testing.T) {
	t.Parallel()
	addr := listen(t, func(s *grpc.Server) {
		refv1.RegisterServerReflectionServer(s, reflection.NewServerV1(options(t, nil, "orders.v1.OrderService")))
	})
	older := listen(t, func(s *grpc.Server) {
		refv1alpha.RegisterServerReflectionServer(s, reflection.NewServer(options(t, nil, "orders.v1.OrderService")))
	})
	for format, name := range map[string]string{"text": "catalog.txt", "json": "catalog.json", "markdown": "catalog.md"} {
		got := command(t, "", "catalog", "--addr", addr, "--format", format)
		if got.code != exitOK || got.err != "" {
			t.Fatalf("%s: exit %d, %s", format, got.code, got.err)
		}
		golden(t, "reflect/"+name, got.out)
		if alpha := command(t, "", "catalog", "--addr", older, "--format", format); alpha.out != got.out {
			t.Errorf("%s: v1alpha differs: exit %d, %s", format, alpha.code, alpha.err)
		}
	}
	if got := command(t, "", "lint", "--addr", addr); got.code != exitOK || got.err != "" {
		t.Errorf("lint: exit %d, %s%s", got.code, got.out, got.err)
	}
}

// What a contract lists is asked for, although no file that the service has imports it.
func TestReflectionAsksForListedErrors(t *testing.T) {
	t.Parallel()
	unimport := func(file *descriptorpb.FileDescriptorProto) {
		if file.GetName() == "orders/v1/orders.proto" {
			file.Dependency = []string{"remedy/v1/options.proto"}
		}
	}
	addr := listen(t, func(s *grpc.Server) {
		refv1.RegisterServerReflectionServer(s, reflection.NewServerV1(options(t, unimport, "orders.v1.OrderService")))
	})
	got := command(t, "", "catalog", "--addr", addr)
	if got.code != exitOK || !strings.Contains(got.out, "stock.v1.ShelfStale\n") {
		t.Errorf("exit %d, %s%s", got.code, got.out, got.err)
	}
}

func TestToolServiceByReflection(t *testing.T) {
	t.Parallel()
	addr := listen(t, func(s *grpc.Server) {
		servicev1.RegisterToolServiceServer(s, &fake{})
		reflection.Register(s)
	})
	got := command(t, "", "catalog", "--addr", addr, "--format=json")
	if got.code != exitOK || got.err != "" {
		t.Fatalf("exit %d, %s", got.code, got.err)
	}
	var listing catalog.Listing
	if err := json.Unmarshal([]byte(got.out), &listing); err != nil {
		t.Fatal(err)
	}
	if len(listing.Methods) != 3 || len(listing.Errors) == 0 || len(listing.Gaps) > 0 {
		t.Errorf("got %s", got.out)
	}
}

func TestReflectionWithoutOptions(t *testing.T) {
	t.Parallel()
	addr := listen(t, func(s *grpc.Server) {
		refv1.RegisterServerReflectionServer(s, reflection.NewServerV1(options(t, drop, "orders.v1.OrderService")))
	})
	dropOne := func(file *descriptorpb.FileDescriptorProto) {
		if file.GetName() == "stock/v1/stock.proto" {
			drop(file)
		}
	}
	half := listen(t, func(s *grpc.Server) {
		refv1.RegisterServerReflectionServer(s, reflection.NewServerV1(
			options(t, dropOne, "orders.v1.OrderService", "evil\x1b[2J", "orders.v1.Nowhere")))
	})
	for _, c := range []struct {
		name string
		args []string
		want int
	}{
		{"dropped", []string{"catalog", "--addr", addr}, exitFailed},
		{"dropped_lint", []string{"lint", "--addr", addr}, exitFailed},
		{"half", []string{"catalog", "--addr", half}, exitFound},
		{"half_markdown", []string{"catalog", "--addr", half, "--format=markdown"}, exitFound},
		{"half_lint", []string{"lint", "--addr", half}, exitFound},
		{"half_lint_json", []string{"lint", "--addr", half, "--format=json"}, exitFound},
	} {
		got := command(t, "", c.args...)
		if got.code != c.want {
			t.Errorf("%s: got exit %d, want %d", c.name, got.code, c.want)
		}
		if strings.Contains(got.out+got.err, "\x1b") {
			t.Errorf("%s: a control character came through", c.name)
		}
		golden(t, "reflect/"+c.name+".txt", steady(got.out+got.err, addr, half))
	}
}

// A server that drops the import too leaves nothing to tell by.
func TestReflectionThatTellsNothing(t *testing.T) {
	t.Parallel()
	bare := func(file *descriptorpb.FileDescriptorProto) {
		if !strings.HasPrefix(file.GetName(), "remedy/") {
			drop(file)
			file.Dependency = nil
		}
	}
	addr := listen(t, func(s *grpc.Server) {
		refv1.RegisterServerReflectionServer(s, reflection.NewServerV1(options(t, bare, "orders.v1.OrderService")))
	})
	for _, name := range []string{"catalog", "lint"} {
		got := command(t, "", name, "--addr", addr)
		if got.code != exitFailed || got.out != "" || !strings.Contains(unwrapped(got.err), "reflection does not tell whether") {
			t.Errorf("%s: exit %d, %s%s", name, got.code, got.out, got.err)
		}
	}
}

// Of a service without contracts it is not known whether it had any.
func TestReflectionOfAQuietService(t *testing.T) {
	t.Parallel()
	quiet := func(file *descriptorpb.FileDescriptorProto) {
		if file.GetName() == "orders/v1/orders.proto" {
			service := proto.CloneOf(file.GetService()[0])
			service.Name = new("QuietService")
			for _, m := range service.GetMethod() {
				m.Options = nil
			}
			file.Service = append(file.Service, service)
		}
	}
	addr := listen(t, func(s *grpc.Server) {
		refv1.RegisterServerReflectionServer(s, reflection.NewServerV1(options(t, quiet, "orders.v1.OrderService", "orders.v1.QuietService")))
	})
	got := command(t, "", "lint", "--addr", addr)
	if got.code != exitOK || got.err != "" {
		t.Errorf("exit %d, %s", got.code, got.err)
	}
	golden(t, "reflect/quiet.txt", got.out)
}

// broken is a server whose reflection lists one service and then answers as it likes.
type broken struct {
	refv1.UnimplementedServerReflectionServer

	answer func(refv1.ServerReflection_ServerReflectionInfoServer, *refv1.ServerReflectionRequest) error
}

func (b *broken) ServerReflectionInfo(stream refv1.ServerReflection_ServerReflectionInfoServer) error {
	for {
		request, err := stream.Recv()
		if err != nil {
			return err
		}
		if _, ok := request.GetMessageRequest().(*refv1.ServerReflectionRequest_ListServices); ok {
			err = stream.Send(&refv1.ServerReflectionResponse{MessageResponse: &refv1.ServerReflectionResponse_ListServicesResponse{
				ListServicesResponse: &refv1.ListServiceResponse{Service: []*refv1.ServiceResponse{{Name: "a.B"}}},
			}})
		} else {
			err = b.answer(stream, request)
		}
		if err != nil {
			return err
		}
	}
}

func TestReflectionThatFails(t *testing.T) {
	t.Parallel()
	type stream = refv1.ServerReflection_ServerReflectionInfoServer
	send := func(s stream, files ...[]byte) error {
		return s.Send(&refv1.ServerReflectionResponse{MessageResponse: &refv1.ServerReflectionResponse_FileDescriptorResponse{
			FileDescriptorResponse: &refv1.FileDescriptorResponse{FileDescriptorProto: files},
		}})
	}
	for name, c := range map[string]struct {
		answer func(stream, *refv1.ServerReflectionRequest) error
		want   string
	}{
		"half-way": {func(stream, *refv1.ServerReflectionRequest) error {
			return status.Error(codes.Internal, "no \x1b[2J more")
		}, "asking for the files of a.B by reflection: "},
		"never": {func(s stream, _ *refv1.ServerReflectionRequest) error {
			<-s.Context().Done()
			return s.Context().Err()
		}, "asking for the files of a.B by reflection: "},
		"no descriptor": {func(s stream, _ *refv1.ServerReflectionRequest) error {
			return send(s, []byte("\xff\xff"))
		}, "asking for the files of a.B by reflection: "},
		"nothing": {func(s stream, _ *refv1.ServerReflectionRequest) error {
			return send(s)
		}, "a.B"},
		"another answer": {func(s stream, _ *refv1.ServerReflectionRequest) error {
			return s.Send(&refv1.ServerReflectionResponse{})
		}, "asking for the files of a.B by reflection: "},
		"imports itself": {func(s stream, _ *refv1.ServerReflectionRequest) error {
			return send(s, []byte("\n\x07a.proto\x12\x01a\x1a\x07a.proto")) // name, package, dependency
		}, "a.proto"},
	} {
		addr := listen(t, func(s *grpc.Server) { refv1.RegisterServerReflectionServer(s, &broken{answer: c.answer}) })
		got := command(t, "", "catalog", "--addr", addr, "--timeout", "500ms")
		if got.code != exitFailed || got.out != "" || !strings.Contains(unwrapped(got.err), c.want) || strings.Contains(got.err, "\x1b") {
			t.Errorf("%s: exit %d, %s%s", name, got.code, got.out, got.err)
		}
	}
}

// Headers go with reflection too: a server may ask who wants to know.
func TestReflectionSendsHeaders(t *testing.T) {
	t.Parallel()
	who := make(chan []string, 10) // the client may ask again
	answer := func(s refv1.ServerReflection_ServerReflectionInfoServer, _ *refv1.ServerReflectionRequest) error {
		who <- metadata.ValueFromIncomingContext(s.Context(), "who")
		return status.Error(codes.PermissionDenied, "not you")
	}
	addr := listen(t, func(s *grpc.Server) { refv1.RegisterServerReflectionServer(s, &broken{answer: answer}) })
	got := command(t, "", "lint", "--addr", addr, "--header", "who=me")
	if sent := <-who; got.code != exitFailed || !slices.Equal(sent, []string{"me"}) {
		t.Errorf("exit %d, %s; got %v", got.code, got.err, sent)
	}
}

func TestReflectionThatIsNotThere(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"the server has no reflection: register": {"catalog", "--addr", listen(t, func(*grpc.Server) {})},
		"listing the services by reflection: ":   {"lint", "--addr", nobody(t)},
	} {
		if got := command(t, "", args...); got.code != exitFailed || got.out != "" || !strings.Contains(unwrapped(got.err), want) {
			t.Errorf("%v: exit %d, %s%s", args, got.code, got.out, got.err)
		}
	}
}

// unwrapped is what was written to people on one line.
func unwrapped(s string) string { return strings.Join(strings.Fields(s), " ") }
