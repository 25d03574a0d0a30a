package gateway

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"grpc-user-service/internal/userpb"
)

// healthPath is not part of the API's description.
const healthPath = "/healthz"

// methodsOf are the methods of each path, which may have parameters.
type methodsOf map[string][]string

// describedMethods are those of the API's description, and of the health check.
func describedMethods() (methodsOf, error) {
	var described struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(userpb.OpenAPI, &described); err != nil {
		return nil, err
	}
	methods := methodsOf{healthPath: {http.MethodGet}}
	for path, operations := range described.Paths {
		for method := range operations {
			methods[path] = append(methods[path], strings.ToUpper(method))
		}
		slices.Sort(methods[path])
	}
	return methods, nil
}

// allowed are the methods of a request's path, as the header Allow has them.
func (m methodsOf) allowed(path string) string {
	for template, methods := range m {
		if matches(template, path) {
			return strings.Join(methods, ", ")
		}
	}
	return ""
}

func matches(template, path string) bool {
	wanted, given := strings.Split(template, "/"), strings.Split(path, "/")
	return slices.EqualFunc(wanted, given, func(wanted, given string) bool {
		return wanted == given || strings.HasPrefix(wanted, "{")
	})
}
