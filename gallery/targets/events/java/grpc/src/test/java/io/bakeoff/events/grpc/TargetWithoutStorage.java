package io.bakeoff.events.grpc;

import io.bakeoff.events.writing.Rows;
import io.bakeoff.events.writing.Storage;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import reactor.core.publisher.Mono;

/** The target itself, with a storage that discards rows. */
@Import(GrpcApplication.class)
class TargetWithoutStorage {
    @Bean
    @Primary
    Storage discarding() {
        return new Storage() {
            @Override
            public Mono<Void> prepare() {
                return Mono.empty();
            }

            @Override
            public Mono<Void> store(Rows rows) {
                return Mono.empty();
            }

            @Override
            public Mono<Void> check() {
                return Mono.empty();
            }
        };
    }
}
