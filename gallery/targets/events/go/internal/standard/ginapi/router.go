// Package ginapi is the events API over REST with Gin.
package ginapi

import (
	"fmt"
	"log/slog"
	"net/http"
	"sync"

	"github.com/gin-gonic/gin"
	"github.com/gin-gonic/gin/binding"
	ginjson "github.com/gin-gonic/gin/codec/json"
	"github.com/go-playground/validator/v10"

	"example.com/bakeoff/events/internal/bearer"
	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fault"
	"example.com/bakeoff/events/internal/httpreply"
	"example.com/bakeoff/events/internal/standard/model"
	"example.com/bakeoff/events/internal/writer"
)

const healthPath = "/api/v1/events/health"

// configureGin sets Gin's JSON codec and adds the rules to its validator; a process has one of each.
var configureGin = sync.OnceValue(func() error {
	ginjson.API = codec{ginjson.API}
	return model.Register(binding.Validator.Engine().(*validator.Validate))
})

type api struct {
	writer *writer.Writer
	token  *bearer.Token
	log    *slog.Logger
}

// NewHandler returns the API, which stores events through w and requires the token unless it is nil.
func NewHandler(w *writer.Writer, token *bearer.Token, log *slog.Logger) (http.Handler, error) {
	if err := configureGin(); err != nil {
		return nil, fmt.Errorf("registering the rules of events: %w", err)
	}
	gin.SetMode(gin.ReleaseMode)
	a := &api{w, token, log}
	router := gin.New()
	router.HandleMethodNotAllowed = true
	router.RedirectTrailingSlash = false
	router.UseEscapedPath = true
	router.Use(gin.CustomRecoveryWithWriter(nil, a.replyPanic))
	if token != nil {
		router.Use(a.authorize)
	}

	events := router.Group("/api/v1/events")
	events.POST("", a.postEvent)
	events.POST("/bulk", a.postBulk)
	events.GET("/health", a.getHealth)
	events.HEAD("/health", a.getHealth)
	router.NoRoute(func(c *gin.Context) { c.JSON(http.StatusNotFound, httpreply.NotFound) })
	router.NoMethod(func(c *gin.Context) { c.JSON(http.StatusMethodNotAllowed, httpreply.NotAllowed) })
	return router, nil
}

func (a *api) postEvent(c *gin.Context) {
	body, err := readBody(c, event.MaxBytes)
	if err != nil {
		replyError(c, err)
		return
	}
	var request model.Event
	if err := c.ShouldBindJSON(&request); err != nil {
		replyError(c, model.Fault(err))
		return
	}
	if err := request.CheckText(body); err != nil {
		replyError(c, err)
		return
	}
	if err := a.writer.Store(c.Request.Context(), request.Stored(len(body))); err != nil {
		replyError(c, err)
		return
	}
	c.JSON(http.StatusOK, httpreply.Outcome{Success: true, Message: httpreply.Stored})
}

func (a *api) postBulk(c *gin.Context) {
	body, err := readBody(c, event.MaxBulkBytes)
	if err != nil {
		replyError(c, err)
		return
	}
	var bulk model.Bulk
	if err := c.ShouldBindJSON(&bulk); err != nil {
		replyError(c, model.Fault(err))
		return
	}
	events, err := bulk.Decode(len(body), binding.JSON.BindBody)
	if err != nil {
		replyError(c, err)
		return
	}
	report, err := a.writer.StoreBulk(c.Request.Context(), events)
	if err != nil {
		replyError(c, err)
		return
	}
	c.JSON(http.StatusOK, httpreply.OfReport(report))
}

func (a *api) getHealth(c *gin.Context) {
	c.JSON(httpreply.OfHealth(a.writer.Healthy(c.Request.Context())))
}

// authorize requires the token, except for health checks.
func (a *api) authorize(c *gin.Context) {
	if c.Request.URL.EscapedPath() == healthPath {
		return
	}
	if err := a.token.Check(c.Request.Header.Values("Authorization")); err != nil {
		replyError(c, err)
	}
}

func (a *api) replyPanic(c *gin.Context, reason any) {
	a.log.Error("a handler panicked", "reason", reason)
	replyError(c, fault.ErrInternal)
}

func replyError(c *gin.Context, err error) {
	status, body := httpreply.OfError(err, c.Writer.Header())
	c.AbortWithStatusJSON(status, body)
}
