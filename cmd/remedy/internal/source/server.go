package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jhump/protoreflect/v2/grpcreflect"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/remedyrpc/remedy/internal/declared"
)

// Reflect asks a server by reflection (grpc.reflection.v1, or else v1alpha) for the files of every service that it lists, and
// of every error that a contract of them lists. It takes as long as ctx lets it.
//
// The services of gRPC itself are left out. What no service imports and no contract lists cannot be seen this way.
func Reflect(ctx context.Context, conn grpc.ClientConnInterface) (*Files, error) {
	client := grpcreflect.NewClientAuto(ctx, conn,
		grpcreflect.WithAllowMissingFileDescriptors(), grpcreflect.WithFallbackResolvers(carried{}, protoregistry.GlobalTypes))
	defer client.Reset()
	services, err := client.ListServices()
	if status.Code(err) == codes.Unimplemented {
		return nil, errors.New("the server has no reflection: register google.golang.org/grpc/reflection in it, or read its protos instead")
	}
	if err != nil {
		return nil, fmt.Errorf("listing the services by reflection: %w", err)
	}
	var own []protoreflect.FileDescriptor
	var undescribed []protoreflect.FullName
	for _, service := range services {
		if strings.HasPrefix(string(service), "grpc.") {
			continue
		}
		file, err := client.FileContainingSymbol(service)
		switch {
		case grpcreflect.IsElementNotFoundError(err):
			undescribed = append(undescribed, service)
		case err != nil:
			return nil, fmt.Errorf("asking for the files of %s by reflection: %w", service, err)
		default:
			own = append(own, file)
		}
	}
	listed, err := listedErrors(client, own)
	if err != nil {
		return nil, err
	}
	// A server does not say which of its files belong to others, so all but those that everybody has are its own.
	all := newFiles(Server, append(own, listed...)).All
	f := newFiles(Server, slices.DeleteFunc(all, func(file protoreflect.FileDescriptor) bool { return isCarried(file.Path()) }))
	f.Undescribed = undescribed
	return f, nil
}

// listedErrors returns the files of the errors that contracts list by name and that no file imports.
func listedErrors(client *grpcreflect.Client, files []protoreflect.FileDescriptor) ([]protoreflect.FileDescriptor, error) {
	set := declared.Read(newFiles(Server, files).All)
	var found []protoreflect.FileDescriptor
	for _, method := range set.Methods {
		for _, listed := range method.Contract.GetErrors() {
			name := protoreflect.FullName(listed)
			if set.Error(name) != nil || !name.IsValid() {
				continue
			}
			file, err := client.FileContainingSymbol(name)
			switch {
			case grpcreflect.IsElementNotFoundError(err): // a check says so
			case err != nil:
				return nil, fmt.Errorf("asking for %s by reflection: %w", name, err)
			default:
				found = append(found, file)
			}
		}
	}
	return found, nil
}

// carried are the files of this program that stand in for what a server does not have of them; never a service of it.
type carried struct{}

func (carried) FindFileByPath(path string) (protoreflect.FileDescriptor, error) {
	if !isCarried(path) {
		return nil, protoregistry.NotFound
	}
	return protoregistry.GlobalFiles.FindFileByPath(path) //nolint:wrapcheck // the caller looks for NotFound
}

func isCarried(path string) bool {
	return strings.HasPrefix(path, "google/") || strings.HasPrefix(path, "remedy/v1/") || strings.HasPrefix(path, "buf/validate/")
}

// FindDescriptorByName finds nothing: what a server does not describe is not described.
func (carried) FindDescriptorByName(protoreflect.FullName) (protoreflect.Descriptor, error) {
	return nil, protoregistry.NotFound
}
