package io.bakeoff.events.rest;

import io.bakeoff.events.model.Problem;
import io.bakeoff.events.request.EventRequests;
import io.bakeoff.events.rest.EventController.Reply;
import io.netty.channel.ChannelException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.bind.support.WebExchangeBindException;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebInputException;
import org.springframework.web.server.UnsupportedMediaTypeStatusException;
import tools.jackson.core.JacksonException;

/** Maps exceptions to the contract's replies. */
@RestControllerAdvice
class ErrorHandler {
    private static final Logger log = LoggerFactory.getLogger(ErrorHandler.class);

    @ExceptionHandler
    ResponseEntity<Reply> problem(ProblemException error) {
        return reply(error.problem());
    }

    @ExceptionHandler
    ResponseEntity<Reply> invalid(WebExchangeBindException error) {
        return reply(error.getFieldErrors().stream()
                .map(field -> field.getField() + ": " + field.getDefaultMessage())
                .min(EventRequests.REPORTING_ORDER)
                .map(Problem::invalid)
                .orElse(Problem.INTERNAL));
    }

    @ExceptionHandler
    ResponseEntity<Reply> unreadable(ServerWebInputException error) {
        for (Throwable cause = error.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof JacksonException binding) {
                return reply(BindingErrors.problem(binding));
            }
        }
        return reply(Problem.invalid("body: not valid JSON"));
    }

    /** Reactor Netty's request timeout: its own class is not public. */
    @ExceptionHandler
    ResponseEntity<Reply> tooSlow(ChannelException error) {
        return reply(Problem.SLOW_BODY);
    }

    @ExceptionHandler
    ResponseEntity<Reply> unsupported(UnsupportedMediaTypeStatusException error) {
        return reply(Problem.unsupportedMedia("content-type: must be application/json"));
    }

    /** Spring's own errors, with the contract's messages. */
    @ExceptionHandler
    ResponseEntity<Reply> status(ResponseStatusException error) {
        String message = switch (error.getStatusCode().value()) {
            case 404 -> "path: not found";
            case 405 -> "method: not allowed";
            default -> "request: " + error.getReason();
        };
        return reply(error.getStatusCode(), error.getHeaders(), message);
    }

    @ExceptionHandler
    ResponseEntity<Reply> unexpected(Exception error) {
        log.error("a request failed", error);
        return reply(Problem.INTERNAL);
    }

    static ResponseEntity<Reply> reply(Problem problem) {
        HttpHeaders headers = new HttpHeaders();
        switch (problem.kind()) {
            case EXHAUSTED -> {
                headers.set(HttpHeaders.RETRY_AFTER, "1");
                // The rest of the body is not read.
                headers.setConnection("close");
            }
            case TOO_SLOW -> headers.setConnection("close");
            case OVERLOADED, UNAVAILABLE -> headers.set(HttpHeaders.RETRY_AFTER, "1");
            case UNAUTHORIZED -> headers.set(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
            default -> {}
        }
        return reply(status(problem.kind()), headers, problem.message());
    }

    private static ResponseEntity<Reply> reply(HttpStatusCode status, HttpHeaders headers, String message) {
        return ResponseEntity.status(status).headers(headers).body(new Reply(false, message));
    }

    private static HttpStatus status(Problem.Kind kind) {
        return switch (kind) {
            case INVALID -> HttpStatus.BAD_REQUEST;
            case TOO_SLOW -> HttpStatus.REQUEST_TIMEOUT;
            case TOO_LARGE -> HttpStatus.CONTENT_TOO_LARGE;
            case UNSUPPORTED_MEDIA -> HttpStatus.UNSUPPORTED_MEDIA_TYPE;
            case UNAUTHORIZED -> HttpStatus.UNAUTHORIZED;
            case OVERLOADED -> HttpStatus.TOO_MANY_REQUESTS;
            case EXHAUSTED, UNAVAILABLE -> HttpStatus.SERVICE_UNAVAILABLE;
            case INTERNAL -> HttpStatus.INTERNAL_SERVER_ERROR;
        };
    }
}
