// Package userpb is the generated code of the contract's user_service.proto, and its OpenAPI document.
package userpb

import _ "embed"

//go:generate go run ./generate

// OpenAPI is the OpenAPI 2 document of the REST API.
//
//go:embed user_service.swagger.json
var OpenAPI []byte
