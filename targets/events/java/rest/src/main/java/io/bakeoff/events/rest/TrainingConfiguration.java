package io.bakeoff.events.rest;

import static java.util.stream.Collectors.joining;

import io.bakeoff.events.process.ServerPort;
import io.bakeoff.events.training.Training;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;

/** Calls the application's own API; see {@link Training}. */
@Configuration(proxyBeanMethods = false)
@Profile(Training.PROFILE)
class TrainingConfiguration {
    private static final String EVENT = """
            {"eventHeader":{"uuid":"%1$s","eventName":"Training","createdDate":"2024-01-15T10:30:00.000Z"},
            "eventBody":{"entities":[{"entityType":"Training","entityId":"%1$s",
            "updatedAttributes":{"number":1.5,"text":"a\\u00e9","list":[true,false,null],"object":{}}}]}}""";

    @Bean
    Training training(ServerPort port, ConfigurableApplicationContext context) {
        return new Training(new Client(port), context);
    }

    private record Client(ServerPort port) implements Training.Client {
        @Override
        public Mono<Void> send(UUID event) {
            return post("/api/v1/events", EVENT.formatted(event));
        }

        @Override
        public Mono<Void> sendBulk(List<UUID> events) {
            return post(
                    "/api/v1/events/bulk", events.stream().map(EVENT::formatted).collect(joining(",", "[", "]")));
        }

        private Mono<Void> post(String path, String body) {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            return HttpClient.create()
                    .headers(headers -> headers.set("Content-Type", "application/json"))
                    .post()
                    .uri("http://127.0.0.1:" + port.number() + path)
                    .send(Mono.fromSupplier(() -> Unpooled.wrappedBuffer(bytes)))
                    .responseContent()
                    .then();
        }
    }
}
