package restapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"example.com/bakeoff/events/internal/httpreply"
)

// Constant parts of replies; read-only.
var (
	storedBody  = []byte(`{"success":true,"message":"` + httpreply.Stored + `"}`)
	contentType = []string{"application/json"}
)

// replyStored replies to an event that is durable.
func replyStored(c *gin.Context) {
	c.Writer.Header()["Content-Type"] = contentType
	c.Status(http.StatusOK)
	// An error means that the client has disconnected.
	_, _ = c.Writer.Write(storedBody)
}

func replyError(c *gin.Context, err error) {
	status, body := httpreply.OfError(err, c.Writer.Header())
	reply(c, status, body)
}

func reply(c *gin.Context, status int, body any) {
	c.Writer.Header()["Content-Type"] = contentType
	c.JSON(status, body)
}
