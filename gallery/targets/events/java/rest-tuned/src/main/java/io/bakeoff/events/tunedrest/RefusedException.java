package io.bakeoff.events.tunedrest;

import io.bakeoff.events.model.Problem;

/** Carries a problem through a reactive chain. Without a stack trace: invalid requests are expected. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient Problem problem;

    RefusedException(Problem problem) {
        super(problem.message(), null, false, false);
        this.problem = problem;
    }

    Problem problem() {
        return problem;
    }
}
