package grpcapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/fault"
	"example.com/bakeoff/events/internal/standard/model"
)

var (
	errDepth  = errors.New(model.ReasonDepth)
	errNUL    = errors.New(model.ReasonNUL)
	errNumber = errors.New(model.ReasonNumber)
	errNoKind = errors.New("contains a value without a kind")
)

// eventOf returns what a valid message of size bytes stores. tooLarge is the error of one above the size of an event.
func (s *service) eventOf(request *eventpb.EventRequest, size int, tooLarge error) (event.Event, error) {
	if size > event.MaxBytes {
		return event.Event{}, tooLarge
	}
	checked := modelOf(request)
	if err := s.validate.StructFiltered(&checked, isAttributes); err != nil {
		return event.Event{}, model.Fault(err)
	}
	for i, entity := range request.GetEventBody().GetEntities() {
		attributes, err := toJSON(entity.GetUpdatedAttributes())
		if err != nil {
			return event.Event{}, fault.New(fault.Invalid, fmt.Sprintf("eventBody.entities[%d].updatedAttributes: %s", i, err))
		}
		checked.Body.Entities[i].UpdatedAttributes = attributes
	}
	return checked.Stored(size), nil
}

func modelOf(request *eventpb.EventRequest) model.Event {
	var e model.Event
	if header := request.GetEventHeader(); header != nil {
		e.Header = &model.Header{
			UUID:        header.GetUuid(),
			EventName:   header.GetEventName(),
			CreatedDate: model.Timestamp(header.GetCreatedDate()),
			SavedDate:   model.Timestamp(header.GetSavedDate()),
			EventType:   header.GetEventType(),
		}
	}
	if body := request.GetEventBody(); body != nil {
		e.Body = &model.Body{Entities: make([]model.Entity, len(body.GetEntities()))}
		for i, entity := range body.GetEntities() {
			e.Body.Entities[i] = model.Entity{EntityType: entity.GetEntityType(), EntityID: entity.GetEntityId()}
		}
	}
	return e
}

// isAttributes names the field whose rules are for JSON; toJSON checks the values of protobuf.
func isAttributes(namespace []byte) bool {
	return bytes.HasSuffix(namespace, []byte(".UpdatedAttributes"))
}

func toJSON(attributes map[string]*structpb.Value) (json.RawMessage, error) {
	if err := checkMembers(attributes, 1); err != nil {
		return nil, err
	}
	// AsMap and encoding/json take 0.7 of the time of protojson, for the same JSON.
	return json.Marshal((&structpb.Struct{Fields: attributes}).AsMap())
}

// checkMembers checks an object of level depth.
func checkMembers(members map[string]*structpb.Value, depth int) error {
	if depth > event.MaxDepth {
		return errDepth
	}
	for name, value := range members {
		if strings.ContainsRune(name, 0) {
			return errNUL
		}
		if err := checkValue(value, depth); err != nil {
			return err
		}
	}
	return nil
}

// checkValue checks a value of an object or list of level depth.
func checkValue(value *structpb.Value, depth int) error {
	switch kind := value.GetKind().(type) {
	case nil:
		return errNoKind
	case *structpb.Value_NumberValue:
		if math.IsNaN(kind.NumberValue) || math.IsInf(kind.NumberValue, 0) {
			return errNumber
		}
	case *structpb.Value_StringValue:
		if strings.ContainsRune(kind.StringValue, 0) {
			return errNUL
		}
	case *structpb.Value_StructValue:
		return checkMembers(kind.StructValue.GetFields(), depth+1)
	case *structpb.Value_ListValue:
		return checkElements(kind.ListValue.GetValues(), depth+1)
	}
	return nil
}

func checkElements(elements []*structpb.Value, depth int) error {
	if depth > event.MaxDepth {
		return errDepth
	}
	for _, element := range elements {
		if err := checkValue(element, depth); err != nil {
			return err
		}
	}
	return nil
}
