package io.bakeoff.orders;

import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import io.vertx.core.json.JsonObject;
import jakarta.persistence.OptimisticLockException;
import jakarta.validation.ConstraintViolationException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;
import jakarta.ws.rs.core.Response.StatusType;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Exceptions as problems (RFC 9457). */
public class Problems {
    private static final Logger log = Logger.getLogger(Problems.class);

    @ServerExceptionMapper
    Response ofHttp(WebApplicationException failure) {
        return problem(failure.getResponse().getStatusInfo(), failure.getMessage());
    }

    @ServerExceptionMapper
    Response ofBody(MismatchedInputException invalid) {
        return problem(Status.BAD_REQUEST, "body: " + invalid.getOriginalMessage());
    }

    @ServerExceptionMapper
    Response ofRules(ConstraintViolationException invalid) {
        return problem(Status.BAD_REQUEST, invalid.getMessage());
    }

    @ServerExceptionMapper
    Response ofConflict(OptimisticLockException changed) {
        return problem(Status.CONFLICT, "the order has another version");
    }

    @ServerExceptionMapper
    Response ofOthers(Exception failure) {
        log.error("request failed", failure);
        return problem(Status.SERVICE_UNAVAILABLE, "the order could not be processed");
    }

    private static Response problem(StatusType status, String detail) {
        JsonObject problem = JsonObject.of(
                "type",
                "about:blank",
                "title",
                status.getReasonPhrase(),
                "status",
                status.getStatusCode(),
                "detail",
                detail);
        return Response.status(status)
                .type("application/problem+json")
                .entity(problem.encode())
                .build();
    }
}
