package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"github.com/klauspost/compress/gzhttp"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"grpc-user-service/internal/grpcapi"
)

// withMiddleware wraps the gateway: the page about the API, the limit of bodies, compression, and for direct calls what
// interceptors do elsewhere.
func withMiddleware(gateway http.Handler, options Options, log *slog.Logger) http.Handler {
	handler := limitBody(gateway, semaphore.NewWeighted(options.Intake))
	if options.Way == Direct {
		handler = instead(handler, options.Service, log)
	}
	if options.ReplyGzip {
		handler = gzhttp.GzipHandler(handler)
	}
	mux := http.NewServeMux()
	mux.Handle("/", handler)
	mux.HandleFunc("GET /openapi.json", openAPI)
	mux.Handle("/docs/", docs())
	return mux
}

// freeBytes of a body are not charged, so that ordinary requests are served while large ones exhaust the budget.
const freeBytes = 16 << 10

// limitBody refuses bodies above the contract's limit, also those that do not say how long they are, and large ones
// beyond the bytes that they may occupy together.
func limitBody(next http.Handler, intake *semaphore.Weighted) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > grpcapi.LargestMessage {
			refuse(w, http.StatusRequestEntityTooLarge, codes.ResourceExhausted, tooLarge)
			return
		}
		charge := r.ContentLength
		if charge < 0 {
			charge = grpcapi.LargestMessage
		}
		if charge > freeBytes {
			if !intake.TryAcquire(charge) {
				refuse(w, http.StatusTooManyRequests, codes.ResourceExhausted, tooManyBytes)
				return
			}
			defer intake.Release(charge)
		}
		arriving := &timedBody{ReadCloser: r.Body}
		r.Body = arriving
		if r.ContentLength < 0 {
			body, err := io.ReadAll(http.MaxBytesReader(w, arriving, grpcapi.LargestMessage))
			if exceeded := new(http.MaxBytesError); errors.As(err, &exceeded) {
				refuse(w, http.StatusRequestEntityTooLarge, codes.ResourceExhausted, tooLarge)
				return
			}
			if arriving.tooSlow {
				refuse(w, http.StatusRequestTimeout, codes.DeadlineExceeded, incomplete)
				return
			}
			if err != nil {
				refuse(w, http.StatusBadRequest, codes.InvalidArgument, "body: cannot be read")
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		next.ServeHTTP(w, r)
	})
}

// timedBody is a body that knows whether it was too slow.
type timedBody struct {
	io.ReadCloser
	tooSlow bool
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.tooSlow = b.tooSlow || errors.Is(err, os.ErrDeadlineExceeded)
	return n, err
}

// requestError answers requests that failed: a body that was too slow gets 408, and not 400 with the network's reason.
func requestError(
	ctx context.Context, mux *runtime.ServeMux, marshaler runtime.Marshaler,
	w http.ResponseWriter, r *http.Request, err error,
) {
	if body, is := r.Body.(*timedBody); is && body.tooSlow {
		err = &runtime.HTTPStatusError{
			HTTPStatus: http.StatusRequestTimeout, Err: status.Error(codes.DeadlineExceeded, incomplete),
		}
	}
	runtime.DefaultHTTPErrorHandler(ctx, mux, marshaler, w, r, err)
}

const (
	tooLarge     = "body: larger than 1048576 bytes"
	incomplete   = "body: incomplete"
	tooManyBytes = "too many requests are waiting"
)

// instead does for direct calls what the interceptors of grpcapi do: recovery, the rate, deadlines, the request's id.
func instead(next http.Handler, options grpcapi.Options, log *slog.Logger) http.Handler {
	var limiter *rate.Limiter
	if options.Rate > 0 {
		limiter = grpcapi.NewLimiter(options.Rate)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer recoverPanic(w, log)
		if limiter != nil && !limiter.Allow() {
			refuse(w, http.StatusTooManyRequests, codes.ResourceExhausted, "the limit of requests per second is reached")
			return
		}
		if id := r.Header.Get(grpcapi.RequestID); id != "" {
			w.Header().Set(grpcapi.RequestID, id)
		}
		ctx, cancel := context.WithTimeout(r.Context(), options.Timeout)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

func recoverPanic(w http.ResponseWriter, log *slog.Logger) {
	if reason := recover(); reason != nil {
		log.Error("a method panicked", "reason", reason)
		refuse(w, http.StatusInternalServerError, codes.Internal, "internal error")
	}
}

// refuse replies as the gateway does.
func refuse(w http.ResponseWriter, status int, code codes.Code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A client that is gone needs no reply.
	_, _ = fmt.Fprintf(w, `{"code":%d,"message":%q,"details":[]}`, code, message)
}

// modified is when this process started: the page about the API does not change while it runs.
var modified = time.Now()
