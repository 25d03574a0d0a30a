module example.com/bakeoff/events

go 1.26.0
