package io.bakeoff.orders;

import org.apache.tomcat.util.http.InvalidParameterException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Spring's exceptions as problems (RFC 9457), and those of the database. */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {
    @ExceptionHandler
    ProblemDetail conflict(OptimisticLockingFailureException changed) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, "the order has another version");
    }

    /** A query that Tomcat cannot decode. */
    @ExceptionHandler
    ProblemDetail malformed(InvalidParameterException malformed) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, "the query cannot be decoded");
    }

    @ExceptionHandler
    ProblemDetail unavailable(Exception failure) {
        logger.error("request failed", failure);
        return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, "the order could not be processed");
    }

    /** A text in the path that is no id names nothing. */
    @ExceptionHandler
    ProblemDetail mismatched(MethodArgumentTypeMismatchException mismatch) {
        boolean isInPath = mismatch.getParameter().hasParameterAnnotation(PathVariable.class);
        HttpStatus status = isInPath ? HttpStatus.NOT_FOUND : HttpStatus.BAD_REQUEST;
        return ProblemDetail.forStatusAndDetail(status, mismatch.getName() + ": must be a whole number");
    }
}
