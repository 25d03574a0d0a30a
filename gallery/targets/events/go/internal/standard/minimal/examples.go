package main

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/gin-gonic/gin/binding"
	"github.com/go-playground/validator/v10"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/httpreply"
	"example.com/bakeoff/events/internal/standard/httpserver"
	"example.com/bakeoff/events/internal/standard/model"
)

// restExample is Gin's guide to model binding and validation, with the model of the contract, behind a server with the
// timeouts of Gin's guide to its configuration.
func restExample() (server, error) {
	if err := model.Register(binding.Validator.Engine().(*validator.Validate)); err != nil {
		return nil, err
	}
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	router.Use(gin.Recovery())
	router.POST("/api/v1/events", func(c *gin.Context) {
		var event model.Event
		if err := c.ShouldBindJSON(&event); err != nil {
			c.JSON(http.StatusBadRequest, gin.H{"error": err.Error()})
			return
		}
		c.JSON(http.StatusOK, httpreply.Outcome{Success: true, Message: httpreply.Stored})
	})
	return httpserver.New(router, httpserver.Limits, nil, log), nil
}

// grpcExample is grpc-go's quick start, with the rules of the contract, and JSON of the attributes.
func grpcExample() (server, error) {
	validate := validator.New(validator.WithRequiredStructEnabled())
	validate.SetTagName("binding")
	if err := model.Register(validate); err != nil {
		return nil, err
	}
	server := grpc.NewServer()
	eventpb.RegisterEventServiceServer(server, example{validate: validate})
	return server, nil
}

type example struct {
	eventpb.UnimplementedEventServiceServer
	validate *validator.Validate
}

func (e example) ProcessEvent(_ context.Context, request *eventpb.EventRequest) (*eventpb.EventResponse, error) {
	header := request.GetEventHeader()
	event := model.Event{
		Header: &model.Header{
			UUID: header.GetUuid(), EventName: header.GetEventName(), EventType: header.GetEventType(),
			CreatedDate: model.Timestamp(header.GetCreatedDate()), SavedDate: model.Timestamp(header.GetSavedDate()),
		},
		Body: &model.Body{},
	}
	for _, entity := range request.GetEventBody().GetEntities() {
		attributes, err := json.Marshal((&structpb.Struct{Fields: entity.GetUpdatedAttributes()}).AsMap())
		if err != nil {
			return nil, status.Error(codes.InvalidArgument, err.Error())
		}
		event.Body.Entities = append(event.Body.Entities, model.Entity{
			EntityType: entity.GetEntityType(), EntityID: entity.GetEntityId(), UpdatedAttributes: attributes,
		})
	}
	if err := e.validate.StructExcept(&event, "Body.Entities[0].UpdatedAttributes"); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	return &eventpb.EventResponse{Success: true, Message: httpreply.Stored}, nil
}
