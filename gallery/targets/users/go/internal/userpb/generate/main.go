// Command generate writes the Go code and the OpenAPI document of the contract's user_service.proto. It needs no
// protoc: protocompile parses the file, and go.mod pins the plugins as tools.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

const (
	source   = "user_service.proto"
	contract = "../../../../../contract/users"
	// folderOfContract stands for the folder in the parameters of plugins.
	folderOfContract = "CONTRACT"
)

// plugins are the parameters of each, and the files with what it writes. The contract has the OpenAPI document for
// targets that are not in Go.
var plugins = map[string]struct {
	parameters string
	paths      []string
}{
	"protoc-gen-go":           {"paths=source_relative", []string{"user_service.pb.go"}},
	"protoc-gen-go-grpc":      {"paths=source_relative", []string{"user_service_grpc.pb.go"}},
	"protoc-gen-grpc-gateway": {"paths=source_relative", []string{"user_service.pb.gw.go"}},
	"protoc-gen-openapiv2":    {"openapi_configuration=" + folderOfContract + "/openapi_options.yaml", []string{"user_service.swagger.json", contract + "/openapi.json"}},
}

// main runs where go generate runs it: in the folder of the generated code.
func main() {
	for plugin, output := range plugins {
		code, err := generate(context.Background(), plugin, contract)
		for _, path := range output.paths {
			if err == nil {
				err = os.WriteFile(path, []byte(code), 0o644)
			}
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(1)
		}
	}
}

// generate returns what a plugin makes of the source in the folder of the contract.
func generate(ctx context.Context, plugin, folder string) (string, error) {
	files, err := parse(ctx, folder)
	if err != nil {
		return "", fmt.Errorf("parsing %s: %w", source, err)
	}
	request := &pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{source},
		Parameter:      proto.String(strings.ReplaceAll(plugins[plugin].parameters, folderOfContract, folder)),
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

// parse returns the source behind everything that it imports.
func parse(ctx context.Context, folder string) ([]*descriptorpb.FileDescriptorProto, error) {
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{folder}}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	compiled, err := compiler.Compile(ctx, source)
	if err != nil {
		return nil, err
	}
	var files []*descriptorpb.FileDescriptorProto
	known := map[string]bool{}
	var add func(protoreflect.FileDescriptor)
	add = func(file protoreflect.FileDescriptor) {
		if known[file.Path()] {
			return
		}
		known[file.Path()] = true
		for i := range file.Imports().Len() {
			imported := file.Imports().Get(i)
			add(imported.FileDescriptor)
		}
		files = append(files, protoutil.ProtoFromFileDescriptor(file))
	}
	add(compiled[0])
	return files, nil
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
