// Command generate writes the Go code of the contract's event_service.proto. It needs no protoc:
// protocompile parses the file, and go.mod pins the plugins as tools.
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

// plugins are the file that each writes.
var plugins = map[string]string{
	"protoc-gen-go":      "event_service.pb.go",
	"protoc-gen-go-grpc": "event_service_grpc.pb.go",
}

// main runs where go generate runs it: in the folder of the generated code.
func main() {
	for plugin, path := range plugins {
		if err := write(plugin, path, "../../../../../contract/events"); err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(1)
		}
	}
}

func write(plugin, path, contract string) error {
	code, err := generate(context.Background(), plugin, contract)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(code), 0o644)
}

// generate returns the code that a plugin makes of the source in the folder of the contract.
func generate(ctx context.Context, plugin, contract string) (string, error) {
	files, err := parse(ctx, contract)
	if err != nil {
		return "", fmt.Errorf("parsing %s: %w", source, err)
	}
	request := &pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{source},
		Parameter:      proto.String(parameters),
		ProtoFile:      files,
	}
	response, err := run(ctx, plugin, request)
	if err != nil {
		return "", fmt.Errorf("running %s: %w", plugin, err)
	}
	if response.Error != nil {
		return "", fmt.Errorf("%s: %s", plugin, response.GetError())
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

func run(ctx context.Context, name string, request *pluginpb.CodeGeneratorRequest) (*pluginpb.CodeGeneratorResponse, error) {
	input, err := proto.Marshal(request)
	if err != nil {
		return nil, err
	}
	plugin := exec.CommandContext(ctx, "go", "tool", name)
	plugin.Stdin = bytes.NewReader(input)
	plugin.Stderr = os.Stderr
	output, err := plugin.Output()
	if err != nil {
		return nil, err
	}
	response := new(pluginpb.CodeGeneratorResponse)
	return response, proto.Unmarshal(output, response)
}
