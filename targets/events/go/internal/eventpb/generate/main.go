// Command generate writes the Go code of the contract's event_service.proto. It needs no protoc:
// protocompile parses the file, and go.mod pins protoc-gen-go as a tool.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

const (
	source     = "event_service.proto"
	parameters = "paths=source_relative,M" + source + "=example.com/bakeoff/events/internal/eventpb"
)

// main runs where go generate runs it: in the folder of the generated code.
func main() {
	if err := write("../../../../../contract/events", "event_service.pb.go"); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func write(contract, path string) error {
	code, err := generate(context.Background(), contract)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(code), 0o644)
}

// generate returns the code of the source in the folder of the contract.
func generate(ctx context.Context, contract string) (string, error) {
	files, err := parse(ctx, contract)
	if err != nil {
		return "", fmt.Errorf("parsing %s: %w", source, err)
	}
	request := &pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{source},
		Parameter:      proto.String(parameters),
		ProtoFile:      files,
	}
	response, err := run(ctx, request)
	if err != nil {
		return "", fmt.Errorf("running protoc-gen-go: %w", err)
	}
	if response.Error != nil {
		return "", fmt.Errorf("protoc-gen-go: %s", response.GetError())
	}
	return response.File[0].GetContent(), nil
}

// parse returns the source behind what it imports.
func parse(ctx context.Context, contract string) ([]*descriptorpb.FileDescriptorProto, error) {
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{contract}}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	compiled, err := compiler.Compile(ctx, source)
	if err != nil {
		return nil, err
	}
	var files []*descriptorpb.FileDescriptorProto
	imports := compiled[0].Imports()
	for i := range imports.Len() {
		files = append(files, protoutil.ProtoFromFileDescriptor(imports.Get(i)))
	}
	return append(files, protoutil.ProtoFromFileDescriptor(compiled[0])), nil
}

func run(ctx context.Context, request *pluginpb.CodeGeneratorRequest) (*pluginpb.CodeGeneratorResponse, error) {
	input, err := proto.Marshal(request)
	if err != nil {
		return nil, err
	}
	plugin := exec.CommandContext(ctx, "go", "tool", "protoc-gen-go")
	plugin.Stdin = bytes.NewReader(input)
	plugin.Stderr = os.Stderr
	output, err := plugin.Output()
	if err != nil {
		return nil, err
	}
	response := new(pluginpb.CodeGeneratorResponse)
	return response, proto.Unmarshal(output, response)
}
