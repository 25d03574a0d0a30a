package restapi

import (
	"encoding/json"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/gin-gonic/gin/binding"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fault"
	"example.com/bakeoff/events/internal/httpreply"
	"example.com/bakeoff/events/internal/standard/model"
)

var (
	errBodyNoArray   = fault.New(fault.Invalid, "body: must be an array")
	errEventNoObject = fault.New(fault.Invalid, "event: must be an object")
)

// element is an event of a bulk before it is bound: each is valid or not by itself. It is a struct because Gin looks
// into the elements of a slice of slices, byte by byte.
type element struct{ json.RawMessage }

func (a *api) postBulk(c *gin.Context) {
	var elements []element
	if err := c.ShouldBindJSON(&elements); err != nil || elements == nil {
		replyError(c, errBodyNoArray)
		return
	}
	if err := event.CheckCount(len(elements)); err != nil {
		replyError(c, err)
		return
	}
	events := make([]event.Decoded, len(elements))
	for i, element := range elements {
		events[i].Event, events[i].Err = bindElement(element.RawMessage)
	}
	event.ChargeFor(len(bodyOf(c)), events)
	report, err := a.writer.StoreBulk(c.Request.Context(), events)
	if err != nil {
		replyError(c, err)
		return
	}
	c.JSON(http.StatusOK, httpreply.OfReport(report))
}

func bindElement(raw json.RawMessage) (event.Event, error) {
	if len(raw) > event.MaxBytes {
		return event.Event{}, event.ErrTooLargeInBulk
	}
	if raw[0] != '{' {
		return event.Event{}, errEventNoObject
	}
	var request model.Event
	if err := binding.JSON.BindBody(raw, &request); err != nil {
		return event.Event{}, model.Fault(err)
	}
	if err := checkText(&request, raw); err != nil {
		return event.Event{}, err
	}
	return request.Stored(len(raw)), nil
}
