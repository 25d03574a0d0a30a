package io.bakeoff.events.tunedrest;

import io.bakeoff.events.model.Problem;
import io.bakeoff.events.writing.Intake;
import io.netty.channel.ChannelException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.web.reactive.function.server.ServerRequest;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Reads a JSON body of limited size. */
final class RequestBody {
    private static final byte[] EMPTY = {};
    private static final String JSON = "application/json";

    private RequestBody() {}

    /** The bytes of the body; fails with a {@link RefusedException}. */
    static Mono<byte[]> read(ServerRequest request, int limit, Intake intake) {
        HttpHeaders headers = request.headers().asHttpHeaders();
        Problem problem = problem(headers, limit);
        if (problem != null) {
            return Mono.error(new RefusedException(problem));
        }
        Flux<DataBuffer> body = request.exchange().getRequest().getBody();
        long length = headers.getContentLength();
        boolean free = length >= 0 && length <= Intake.FREE_BYTES;
        return DataBufferUtils.join(free ? body : charged(body, intake.charge()), limit)
                .map(RequestBody::bytes)
                .defaultIfEmpty(new byte[0])
                .onErrorMap(failure -> new RefusedException(problem(failure, limit)));
    }

    private static Flux<DataBuffer> charged(Flux<DataBuffer> body, Intake.Charge charge) {
        return body.<DataBuffer>handle((part, sink) -> {
                    if (charge.add(part.readableByteCount())) {
                        sink.next(part);
                    } else {
                        DataBufferUtils.release(part);
                        sink.error(new RefusedException(Problem.TOO_MANY_BYTES));
                    }
                })
                .doFinally(ended -> charge.release());
    }

    private static Problem problem(Throwable failure, int limit) {
        if (failure instanceof RefusedException refused) {
            return refused.problem();
        }
        if (failure instanceof DataBufferLimitException) {
            return Problem.bodyTooLarge(limit);
        }
        // Timeouts, that of SlowClientHandler and Reactor Netty's. Any other failure is a client that disconnects.
        return failure instanceof ChannelException ? Problem.SLOW_BODY : Problem.INCOMPLETE_BODY;
    }

    private static @Nullable Problem problem(HttpHeaders headers, int limit) {
        if (!isJson(headers.getFirst(HttpHeaders.CONTENT_TYPE))) {
            return Problem.unsupportedMedia("content-type: must be application/json");
        }
        if (!isPlain(headers.getOrEmpty(HttpHeaders.CONTENT_ENCODING))) {
            return Problem.unsupportedMedia("content-encoding: must be identity");
        }
        return headers.getContentLength() > limit ? Problem.bodyTooLarge(limit) : null;
    }

    /** Parameters are ignored, as in {@code application/json; charset=utf-8}. */
    private static boolean isJson(@Nullable String contentType) {
        if (contentType == null) {
            return false;
        }
        int parameters = contentType.indexOf(';');
        String mediaType = parameters < 0 ? contentType : contentType.substring(0, parameters);
        return mediaType.strip().equalsIgnoreCase(JSON);
    }

    private static boolean isPlain(List<String> codings) {
        return codings.stream().allMatch("identity"::equalsIgnoreCase);
    }

    private static byte[] bytes(DataBuffer buffer) {
        byte[] bytes = new byte[buffer.readableByteCount()];
        buffer.read(bytes);
        DataBufferUtils.release(buffer);
        return bytes;
    }
}
