package io.bakeoff.events.rest;

import io.bakeoff.events.model.Problem;

/** A request fails with a problem. Without a stack trace: invalid requests are expected. */
final class ProblemException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient Problem problem;

    ProblemException(Problem problem) {
        super(problem.message(), null, false, false);
        this.problem = problem;
    }

    Problem problem() {
        return problem;
    }
}
