package io.bakeoff.events.rest;

import io.bakeoff.events.model.Problem;
import java.util.Collection;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.databind.exc.MismatchedInputException;

/** Converts errors of Jackson to the path and the rule that they break. */
final class BindingErrors {
    private BindingErrors() {}

    static Problem problem(JacksonException error) {
        String path = path(error);
        if (error instanceof MismatchedInputException mismatch) {
            return Problem.invalid(
                    (path.isEmpty() ? "body" : path) + ": must be " + expected(mismatch.getTargetType()));
        }
        if (error instanceof StreamConstraintsException && !path.isEmpty()) {
            return Problem.invalid(path + ": nested too deep, or contains a number that is too long");
        }
        if (error.getCause() instanceof NumberFormatException && !path.isEmpty()) {
            return Problem.invalid(path + ": contains a number outside the double range");
        }
        return Problem.invalid("body: not valid JSON");
    }

    private static String expected(Class<?> target) {
        if (target == String.class) {
            return "a string";
        }
        return Collection.class.isAssignableFrom(target) ? "an array" : "an object";
    }

    private static String path(JacksonException error) {
        StringBuilder path = new StringBuilder();
        for (JacksonException.Reference reference : error.getPath()) {
            if (reference.getPropertyName() == null) {
                path.append('[').append(reference.getIndex()).append(']');
            } else {
                path.append(path.isEmpty() ? "" : ".").append(reference.getPropertyName());
            }
        }
        return path.toString();
    }
}
