// Package restapi is the events API over REST: it decodes, calls the writer, encodes, and nothing else.
package restapi

import (
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/gin-gonic/gin"

	"example.com/bakeoff/events/internal/bearer"
	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fault"
	"example.com/bakeoff/events/internal/httpreply"
	"example.com/bakeoff/events/internal/tuned/jsonevent"
	"example.com/bakeoff/events/internal/writer"
)

const healthPath = "/api/v1/events/health"

// api holds what the handlers share.
type api struct {
	writer *writer.Writer
	token  *bearer.Token
	log    *slog.Logger
}

// NewHandler returns the API, which stores events through w and requires the token unless it is nil. Gin's own logger and
// recovery are left out: the contract wants no line per request, and its own reply to a panic.
func NewHandler(w *writer.Writer, token *bearer.Token, log *slog.Logger) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	a := &api{w, token, log}
	router := gin.New()
	router.HandleMethodNotAllowed = true
	router.RedirectTrailingSlash = false
	// /api/v1%2Fevents is not /api/v1/events.
	router.UseEscapedPath = true
	// The token is checked first, for unknown paths too.
	router.Use(a.recover, a.authorize)
	router.GET(healthPath, a.getHealth)
	router.HEAD(healthPath, a.getHealth)
	router.POST("/api/v1/events", a.postEvent)
	router.POST("/api/v1/events/bulk", a.postBulk)
	router.NoRoute(func(c *gin.Context) { reply(c, http.StatusNotFound, httpreply.NotFound) })
	router.NoMethod(func(c *gin.Context) { reply(c, http.StatusMethodNotAllowed, httpreply.NotAllowed) })
	return router
}

func (a *api) postEvent(c *gin.Context) {
	if err := a.storeEvent(c); err != nil {
		replyError(c, err)
		return
	}
	replyStored(c)
}

func (a *api) storeEvent(c *gin.Context) error {
	body, err := readBody(c, event.MaxBytes)
	if err != nil {
		return err
	}
	decoded, err := jsonevent.Decode(body)
	if err != nil {
		return err
	}
	return a.writer.Store(c.Request.Context(), decoded)
}

func (a *api) postBulk(c *gin.Context) {
	report, err := a.storeBulk(c)
	if err != nil {
		replyError(c, err)
		return
	}
	reply(c, http.StatusOK, httpreply.OfReport(report))
}

func (a *api) storeBulk(c *gin.Context) (writer.Report, error) {
	body, err := readBody(c, event.MaxBulkBytes)
	if err != nil {
		return writer.Report{}, err
	}
	events, err := jsonevent.DecodeBulk(body)
	if err != nil {
		return writer.Report{}, err
	}
	return a.writer.StoreBulk(c.Request.Context(), events)
}

func (a *api) getHealth(c *gin.Context) {
	status, body := httpreply.OfHealth(a.writer.Healthy(c.Request.Context()))
	reply(c, status, body)
}

// authorize requires the token, except for the health path, whatever the method.
func (a *api) authorize(c *gin.Context) {
	if err := a.token.Check(c.Request.Header["Authorization"]); err != nil && c.Request.URL.EscapedPath() != healthPath {
		replyError(c, err)
		c.Abort()
	}
}

// recover replies to a request whose handler panicked.
func (a *api) recover(c *gin.Context) {
	defer func() {
		if reason := recover(); reason != nil {
			a.log.Error("a handler panicked", "reason", reason, "stack", string(debug.Stack()))
			replyError(c, fault.ErrInternal)
		}
	}()
	c.Next()
}
