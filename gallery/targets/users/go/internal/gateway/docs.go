package gateway

import (
	"bytes"
	"net/http"

	"github.com/swaggest/swgui/v5emb"

	"grpc-user-service/internal/userpb"
)

// docs is a page about the API that needs no other server: Swagger UI's files are in the program.
func docs() http.Handler {
	return v5emb.New("User service", "/openapi.json", "/docs/")
}

func openAPI(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	http.ServeContent(w, r, "", modified, bytes.NewReader(userpb.OpenAPI))
}
