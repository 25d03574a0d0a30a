package io.bakeoff.orders;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.MethodParameter;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.reactive.result.method.annotation.ResponseEntityExceptionHandler;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebInputException;
import reactor.core.publisher.Mono;

/** Spring's exceptions as problems (RFC 9457), and those of the database. */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {
    private static final Logger log = LoggerFactory.getLogger(Problems.class);

    @ExceptionHandler
    ProblemDetail conflict(OptimisticLockingFailureException changed) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, "the order has another version");
    }

    @ExceptionHandler
    ProblemDetail unavailable(Exception failure) {
        log.error("request failed", failure);
        return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, "the order could not be processed");
    }

    /** A text in the path that is no id names nothing. */
    @Override
    protected Mono<ResponseEntity<Object>> handleServerWebInputException(
            ServerWebInputException invalid, HttpHeaders headers, HttpStatusCode status, ServerWebExchange exchange) {
        MethodParameter parameter = invalid.getMethodParameter();
        if (parameter != null && parameter.hasParameterAnnotation(PathVariable.class)) {
            ProblemDetail problem = ProblemDetail.forStatus(HttpStatus.NOT_FOUND);
            return handleExceptionInternal(invalid, problem, headers, HttpStatus.NOT_FOUND, exchange);
        }
        return super.handleServerWebInputException(invalid, headers, status, exchange);
    }
}
