package io.bakeoff.events.request;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import org.jspecify.annotations.Nullable;

/** An event as clients send it, with the rules of the contract. */
public record EventRequest(
        @NotNull(message = Rules.REQUIRED) @Valid @Nullable EventHeader eventHeader,
        @NotNull(message = Rules.REQUIRED) @Valid @Nullable EventBody eventBody) {}
