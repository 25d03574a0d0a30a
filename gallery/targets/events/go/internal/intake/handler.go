package intake

import "net/http"

// Handler charges for the bodies that next reads, until it returns. Reading one fails with fault.ErrTooManyBytes when
// the budget is exhausted.
func Handler(next http.Handler, budget *Budget) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if length := request.ContentLength; length >= 0 && length <= freeBytes {
			next.ServeHTTP(w, request)
			return
		}
		unmetered := request.Body
		metered := &body{ReadCloser: unmetered, charge: budget.Charge()}
		// The server may read the rest of the body, which it does not keep.
		defer func() {
			request.Body = unmetered
			metered.charge.Release()
		}()
		request.Body = metered
		next.ServeHTTP(w, request)
	})
}
