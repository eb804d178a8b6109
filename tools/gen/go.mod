module github.com/remedyrpc/remedy/tools/gen

go 1.26.0

require (
	buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go v1.36.12-20260825204119-511051f7f437.1
	github.com/jhump/protoreflect/v2 v2.0.0
	google.golang.org/protobuf v1.36.12
)

require google.golang.org/grpc/cmd/protoc-gen-go-grpc v1.6.2 // indirect

tool (
	github.com/remedyrpc/remedy/tools/gen/protodeps
	google.golang.org/grpc/cmd/protoc-gen-go-grpc
)
