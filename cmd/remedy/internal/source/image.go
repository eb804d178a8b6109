package source

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// maxImage is the largest image in bytes, packed or not.
const maxImage = 256 << 20

// howto is how to make an image.
const howto = "make one with `buf build -o image.binpb`, or `protoc --include_imports --include_source_info -o image.binpb`"

// image reads a google.protobuf.FileDescriptorSet, or a buf image, which is one with more in it: binary, packed by gzip, or as
// JSON.
func image(path string) (*Files, error) {
	b, err := readFile(path, maxImage)
	if err != nil {
		return nil, err
	}
	if b, err = unpack(b); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var set descriptorpb.FileDescriptorSet
	if len(b) > 0 && b[0] == '{' {
		err = protojson.UnmarshalOptions{DiscardUnknown: true, AllowPartial: true}.Unmarshal(b, &set)
	} else {
		err = proto.UnmarshalOptions{AllowPartial: true}.Unmarshal(b, &set)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s is no image, or not all of one: %w; %s", path, err, howto)
	case len(set.GetFile()) == 0:
		return nil, fmt.Errorf("%s is no image, or one without files: %s", path, howto)
	}
	asked := len(set.GetFile())
	complete(&set)
	registry, err := protodesc.NewFiles(&set)
	if err != nil {
		return nil, fmt.Errorf("the files of %s do not belong together: %w; %s", path, err, howto)
	}
	var own []protoreflect.FileDescriptor
	for _, file := range set.GetFile()[:asked] {
		descriptor, err := registry.FindFileByPath(file.GetName())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if !isImport(file) {
			own = append(own, descriptor)
		}
	}
	return newFiles(Image, own), nil
}

// unpack undoes gzip (RFC 1952).
func unpack(b []byte) ([]byte, error) {
	if !bytes.HasPrefix(b, []byte{0x1f, 0x8b}) {
		return b, nil
	}
	reader, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("unpacking: %w", err)
	}
	b, err = io.ReadAll(io.LimitReader(reader, maxImage+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("unpacking: the end is missing: copy the image once more")
	case err != nil:
		return nil, fmt.Errorf("unpacking: %w", err)
	case len(b) > maxImage:
		return nil, fmt.Errorf("has more than %d bytes unpacked: make an image of fewer protos", maxImage)
	}
	return b, nil
}

// complete adds the imports that an image lacks and this program carries.
func complete(set *descriptorpb.FileDescriptorSet) {
	has := make(map[string]bool)
	for _, file := range set.GetFile() {
		has[file.GetName()] = true
	}
	for queue := set.GetFile(); len(queue) > 0; queue = queue[1:] {
		for _, name := range queue[0].GetDependency() {
			linked, err := protoregistry.GlobalFiles.FindFileByPath(name)
			if err != nil || has[name] {
				continue
			}
			has[name] = true
			file := protodesc.ToFileDescriptorProto(linked)
			set.File, queue = append(set.File, file), append(queue, file)
		}
	}
}

// Fields of buf.alpha.image.v1: ImageFile.buf_extension, and ImageFileExtension.is_import in it.
const (
	bufExtension = 8042
	bufIsImport  = 1
)

// isImport reports whether buf says that a file of its image is only imported.
func isImport(file *descriptorpb.FileDescriptorProto) bool {
	extension, _ := protowire.ConsumeBytes(valueOf(file.ProtoReflect().GetUnknown(), bufExtension))
	imported, _ := protowire.ConsumeVarint(valueOf(extension, bufIsImport))
	return imported != 0
}

// valueOf returns the last value of a field of a message, as it is encoded; nil when there is none.
func valueOf(message []byte, field protowire.Number) []byte {
	var value []byte
	for len(message) > 0 {
		number, kind, tag := protowire.ConsumeTag(message)
		if tag < 0 {
			return nil
		}
		size := protowire.ConsumeFieldValue(number, kind, message[tag:])
		if size < 0 {
			return nil
		}
		if number == field {
			value = message[tag : tag+size]
		}
		message = message[tag+size:]
	}
	return value
}
