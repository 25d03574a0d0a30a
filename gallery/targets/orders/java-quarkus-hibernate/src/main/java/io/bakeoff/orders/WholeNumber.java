package io.bakeoff.orders;

import jakarta.ws.rs.BadRequestException;

/** A number of a query: another text there is a bad request, where JAX-RS would find no such resource. */
public record WholeNumber(long value) {
    public static WholeNumber fromString(String text) {
        try {
            return new WholeNumber(Long.parseLong(text));
        } catch (NumberFormatException other) {
            throw new BadRequestException("a number of the query must be a whole number", other);
        }
    }
}
