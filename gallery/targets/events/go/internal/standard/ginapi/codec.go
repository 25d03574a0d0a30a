package ginapi

import (
	"encoding/json"
	"errors"
	"io"

	ginjson "github.com/gin-gonic/gin/codec/json"
)

var errTextFollows = errors.New("text follows the JSON value")

// codec is Gin's JSON codec, except that a body is one JSON value: a json.Decoder alone ignores what follows it.
type codec struct{ ginjson.Core }

func (codec) NewDecoder(body io.Reader) ginjson.Decoder { return decoder{json.NewDecoder(body)} }

type decoder struct{ *json.Decoder }

func (d decoder) Decode(into any) error {
	if err := d.Decoder.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errTextFollows
	}
	return nil
}
