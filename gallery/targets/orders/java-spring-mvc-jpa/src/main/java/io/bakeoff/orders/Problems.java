package io.bakeoff.orders;

import org.apache.tomcat.util.http.InvalidParameterException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.TypeMismatchException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Spring's exceptions as problems (RFC 9457), and those of the database. */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {
    private static final Logger log = LoggerFactory.getLogger(Problems.class);

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
        log.error("request failed", failure);
        return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, "the order could not be processed");
    }

    /** A text in the path that is no id names nothing. */
    @Override
    protected ResponseEntity<Object> handleTypeMismatch(
            TypeMismatchException mismatch, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        if (mismatch instanceof MethodArgumentTypeMismatchException argument
                && argument.getParameter().hasParameterAnnotation(PathVariable.class)) {
            ProblemDetail problem = ProblemDetail.forStatus(HttpStatus.NOT_FOUND);
            return handleExceptionInternal(mismatch, problem, headers, HttpStatus.NOT_FOUND, request);
        }
        return super.handleTypeMismatch(mismatch, headers, status, request);
    }
}
