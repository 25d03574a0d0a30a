// Parcels: a service of the tests' own, of one static program, so that an image can be made of it without a network.
// `lookups` is how many statements a read sends beside its own; it is set when the program is linked. `migrate` makes the
// table, and then executes its arguments.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	_ "net/http/pprof" // reports what the service allocates
	"os"
	"strconv"

	"github.com/jackc/pgx/v5/pgxpool"
)

var lookups = "0"

func main() {
	ctx := context.Background()
	store, err := pgxpool.New(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	if len(os.Args) > 1 && os.Args[1] == "migrate" {
		table := "CREATE TABLE parcels (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, place text NOT NULL)"
		for _, statement := range append([]string{table}, os.Args[2:]...) {
			if _, err := store.Exec(ctx, statement); err != nil {
				log.Fatal(err)
			}
		}
		return
	}
	http.HandleFunc("GET /health", func(w http.ResponseWriter, r *http.Request) {
		if err := store.Ping(r.Context()); err != nil {
			http.Error(w, "no database", http.StatusServiceUnavailable)
		}
	})
	http.HandleFunc("POST /parcels", func(w http.ResponseWriter, r *http.Request) {
		var parcel Parcel
		if err := json.NewDecoder(r.Body).Decode(&parcel); err != nil {
			http.Error(w, "not a parcel", http.StatusBadRequest)
			return
		}
		insert := "INSERT INTO parcels (place) VALUES ($1) RETURNING id"
		if err := store.QueryRow(r.Context(), insert, parcel.Place).Scan(&parcel.ID); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		reply(w, http.StatusCreated, parcel)
	})
	more, err := strconv.Atoi(lookups)
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("GET /parcels/{id}", func(w http.ResponseWriter, r *http.Request) {
		var parcel Parcel
		for each := 0; each <= more; each++ {
			read := "SELECT id, place FROM parcels WHERE id = $1"
			if err := store.QueryRow(r.Context(), read, r.PathValue("id")).Scan(&parcel.ID, &parcel.Place); err != nil {
				http.Error(w, "no such parcel", http.StatusNotFound)
				return
			}
		}
		reply(w, http.StatusOK, parcel)
	})
	log.Fatal(http.ListenAndServe(":"+os.Getenv("PORT"), nil))
}

// Parcel is what the service stores.
type Parcel struct {
	ID    int64  `json:"id"`
	Place string `json:"place"`
}

func reply(w http.ResponseWriter, status int, parcel Parcel) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(parcel); err != nil {
		log.Print(err)
	}
}
