package io.bakeoff.events.request;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code eventBody}. */
public record EventBody(
        @NotNull(message = Rules.ENTITIES) @Size(min = 1, max = 1_000, message = Rules.ENTITIES) @Nullable
        List<@NotNull(message = "must be an object") @Valid EntityUpdate> entities) {}
