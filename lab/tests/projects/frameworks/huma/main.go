// Command notes is a small service whose description huma makes: it keeps notes, and refuses what its types do not allow.
package main

import (
	"context"
	"crypto/rand"
	"log"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/danielgtaylor/huma/v2/autopatch"
)

const token = "a-token-of-tests"

// NewNote is what a client sends.
type NewNote struct {
	Title    string         `json:"title" minLength:"3" maxLength:"80"`
	Priority int            `json:"priority" minimum:"1" maximum:"5"`
	Colour   string         `json:"colour,omitempty" enum:"red,dark blue"`
	Due      time.Time      `json:"due"`
	Tags     []string       `json:"tags" minItems:"1" maxItems:"4" uniqueItems:"true" pattern:"^[a-z]{3,9}$"`
	Share    float64        `json:"share" exclusiveMinimum:"0" maximum:"1" multipleOf:"0.25"`
	Labels   map[string]int `json:"labels,omitempty"`
	Link     string         `json:"link,omitempty" format:"uri"`
	Box      *Box           `json:"box,omitempty"`
	Raw      []byte         `json:"raw"`
}

// Box is a nested value.
type Box struct {
	Width  uint32 `json:"width" maximum:"100"`
	Height uint32 `json:"height" maximum:"100"`
}

// Note is a stored note: updates may hold its id, which they do not change, as autopatch sends what it reads.
type Note struct {
	ID string `json:"id" readOnly:"true"`
	NewNote
}

type noteReply struct {
	Location string `header:"Location"`
	Body     Note
}

// ByID names a note.
type ByID struct {
	ID string `path:"noteId" maxLength:"40"`
}

type credentials struct {
	Body struct {
		Name     string `json:"name" example:"ada"`
		Password string `json:"password" example:"correct horse"`
	}
}

type session struct {
	Body struct {
		Token string `json:"token"`
	}
}

type list struct {
	Body struct {
		Items []Note `json:"items"`
		Next  string `json:"nextCursor,omitempty"`
	}
}

type listQuery struct {
	Limit  int      `query:"limit" minimum:"1" maximum:"50" default:"10"`
	Cursor string   `query:"cursor"`
	Sort   string   `query:"sort" enum:"title,-title" required:"true"`
	Tags   []string `query:"tags,explode" required:"true" minItems:"1"`
	Trace  string   `header:"X-Trace" required:"true" minLength:"8"`
}

type store struct {
	mutex sync.Mutex
	notes map[string]Note
}

func (s *store) get(id string) (Note, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	note, known := s.notes[id]
	if !known {
		return Note{}, huma.Error404NotFound("there is no such note")
	}
	return note, nil
}

func (s *store) put(note Note) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.notes[note.ID] = note
}

func main() {
	config := huma.DefaultConfig("Notes", "1.0.0")
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"bearer": {Type: "http", Scheme: "bearer"}}
	mux := http.NewServeMux()
	api := humago.New(mux, config)
	api.UseMiddleware(func(ctx huma.Context, next func(huma.Context)) {
		if len(ctx.Operation().Security) > 0 && ctx.Header("Authorization") != "Bearer "+token {
			_ = huma.WriteErr(api, ctx, http.StatusUnauthorized, "a token is missing")
			return
		}
		next(ctx)
	})
	register(api, &store{notes: map[string]Note{}})
	autopatch.AutoPatch(api)
	log.Fatal((&http.Server{Addr: "127.0.0.1:" + os.Getenv("PORT"), Handler: mux, ReadHeaderTimeout: time.Minute}).ListenAndServe())
}

func register(api huma.API, notes *store) {
	secured := []map[string][]string{{"bearer": {}}}
	operation := func(id, method, path string, status int) huma.Operation {
		return huma.Operation{OperationID: id, Method: method, Path: path, DefaultStatus: status, Security: secured}
	}
	huma.Register(api, huma.Operation{OperationID: "health", Method: http.MethodGet, Path: "/healthz"},
		func(context.Context, *struct{}) (*struct{}, error) { return nil, nil })
	huma.Register(api, huma.Operation{OperationID: "login", Method: http.MethodPost, Path: "/login"},
		func(_ context.Context, given *credentials) (*session, error) {
			if given.Body.Name != "ada" || given.Body.Password != "correct horse" {
				return nil, huma.Error401Unauthorized("no such user")
			}
			reply := &session{}
			reply.Body.Token = token
			return reply, nil
		})
	huma.Register(api, operation("create-note", http.MethodPost, "/notes", http.StatusCreated),
		func(_ context.Context, given *struct{ Body NewNote }) (*noteReply, error) {
			note := Note{ID: rand.Text(), NewNote: given.Body}
			notes.put(note)
			return &noteReply{Location: "/notes/" + note.ID, Body: note}, nil
		})
	huma.Register(api, operation("read-note", http.MethodGet, "/notes/{noteId}", http.StatusOK),
		func(_ context.Context, given *ByID) (*noteReply, error) {
			note, err := notes.get(given.ID)
			return &noteReply{Body: note}, err
		})
	huma.Register(api, operation("replace-note", http.MethodPut, "/notes/{noteId}", http.StatusOK),
		func(_ context.Context, given *struct {
			ByID
			Body Note
		}) (*noteReply, error) {
			if _, err := notes.get(given.ID); err != nil {
				return nil, err
			}
			note := Note{ID: given.ID, NewNote: given.Body.NewNote}
			notes.put(note)
			return &noteReply{Body: note}, nil
		})
	huma.Register(api, operation("delete-note", http.MethodDelete, "/notes/{noteId}", http.StatusNoContent),
		func(_ context.Context, given *ByID) (*struct{}, error) {
			if _, err := notes.get(given.ID); err != nil {
				return nil, err
			}
			notes.mutex.Lock()
			defer notes.mutex.Unlock()
			delete(notes.notes, given.ID)
			return nil, nil
		})
	huma.Register(api, operation("list-notes", http.MethodGet, "/notes", http.StatusOK),
		func(_ context.Context, given *listQuery) (*list, error) {
			reply := &list{}
			reply.Body.Items = []Note{}
			return reply, nil
		})
}
