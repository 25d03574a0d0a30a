package io.bakeoff.events.rest;

import io.bakeoff.events.model.Limits;
import io.bakeoff.events.model.Problem;
import io.bakeoff.events.writing.Intake;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Rejects compressed bodies, bodies above the limit of their path, for Spring has one limit for all, and those for which
 * the budget of arriving requests has no room.
 */
@Component
@Order(2)
final class BodyFilter implements WebFilter {
    private static final String EVENTS = "/api/v1/events";

    private final Intake intake;

    BodyFilter(Intake intake) {
        this.intake = intake;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        ServerHttpRequest request = exchange.getRequest();
        boolean single = request.getPath().value().equals(EVENTS);
        int limit = single ? Limits.EVENT_BYTES : Limits.BULK_BYTES;
        if (isHarmless(request.getHeaders())) {
            return chain.filter(exchange);
        }
        return chain.filter(exchange.mutate()
                .request(new Limited(request, limit, intake.charge()))
                .build());
    }

    /** The body of most requests: not compressed, and HTTP ends it where its length says. */
    private static boolean isHarmless(HttpHeaders headers) {
        long length = headers.getContentLength();
        return length >= 0 && length <= Intake.FREE_BYTES && headers.getFirst(HttpHeaders.CONTENT_ENCODING) == null;
    }

    /** Fails when the body is read, after the framework has checked path, method and media type. */
    private static final class Limited extends ServerHttpRequestDecorator {
        private final int limit;
        private final Intake.Charge charge;

        Limited(ServerHttpRequest request, int limit, Intake.Charge charge) {
            super(request);
            this.limit = limit;
            this.charge = charge;
        }

        @Override
        public Flux<DataBuffer> getBody() {
            List<String> codings = getHeaders().getOrEmpty(HttpHeaders.CONTENT_ENCODING);
            if (!codings.stream().allMatch("identity"::equalsIgnoreCase)) {
                return Flux.error(new ProblemException(Problem.unsupportedMedia("content-encoding: must be identity")));
            }
            if (getHeaders().getContentLength() > limit) {
                return Flux.error(tooLarge());
            }
            AtomicLong bytes = new AtomicLong();
            return super.getBody()
                    .<DataBuffer>handle((part, sink) -> {
                        int length = part.readableByteCount();
                        if (bytes.addAndGet(length) > limit) {
                            DataBufferUtils.release(part);
                            sink.error(tooLarge());
                        } else if (!charge.add(length)) {
                            DataBufferUtils.release(part);
                            sink.error(new ProblemException(Problem.TOO_MANY_BYTES));
                        } else {
                            sink.next(part);
                        }
                    })
                    .doFinally(ended -> charge.release());
        }

        private ProblemException tooLarge() {
            return new ProblemException(Problem.bodyTooLarge(limit));
        }
    }
}
