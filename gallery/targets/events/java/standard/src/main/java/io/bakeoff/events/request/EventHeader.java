package io.bakeoff.events.request;

import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.Pattern;
import org.hibernate.validator.constraints.CodePointLength;
import org.jspecify.annotations.Nullable;

/**
 * {@code eventHeader}.
 *
 * @param createdDate a text or an integer, like {@code savedDate}
 */
public record EventHeader(
        @NotEmpty(message = Rules.REQUIRED) @Pattern(regexp = Rules.UUID_OR_EMPTY, message = "must be a UUID") @Nullable
        String uuid,

        @NotEmpty(message = Rules.REQUIRED) @CodePointLength(max = 100, message = Rules.AT_MOST) @Storable @Nullable
        String eventName,

        @Timestamp @Nullable Object createdDate,
        @Timestamp @Nullable Object savedDate,

        @CodePointLength(max = 100, message = Rules.AT_MOST) @Storable @Nullable
        String eventType) {}
