package io.bakeoff.events.request;

import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import org.hibernate.validator.constraints.CodePointLength;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** One element of {@code entities}. */
public record EntityUpdate(
        @NotEmpty(message = Rules.REQUIRED) @CodePointLength(max = 100, message = Rules.AT_MOST) @Storable @Nullable
        String entityType,

        @NotEmpty(message = Rules.REQUIRED) @CodePointLength(max = 255, message = Rules.AT_MOST) @Storable @Nullable
        String entityId,

        @NotNull(message = Rules.REQUIRED) @Storable @Nullable
        ObjectNode updatedAttributes) {}
