package io.bakeoff.events.grpc;

import com.example.grpc.EventRequest;
import com.example.grpc.EventResponse;
import com.example.grpc.EventServiceGrpc;
import io.bakeoff.events.model.Problem;
import io.bakeoff.events.request.EventRequests;
import io.bakeoff.events.request.RequestConfiguration;
import io.grpc.BindableService;
import io.grpc.stub.StreamObserver;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * The least that the framework does for a call: bind, validate, reply. The target, with a storage that discards rows, is
 * compared with it: {@code experiments/side-by-side/minimal-examples.toml}. The target's component scan does not find
 * it, because it is no component.
 */
@EnableAutoConfiguration
@Import({EventRequests.class, Messages.class, RequestConfiguration.class})
class MinimalApplication {
    /** Starts the example, or the target with the argument {@code target}. */
    public static void main(String[] arguments) {
        boolean target = arguments.length == 1 && arguments[0].equals("target");
        SpringApplication.run(target ? TargetWithoutStorage.class : MinimalApplication.class);
    }

    @Bean
    BindableService events(Messages messages) {
        return new EventServiceGrpc.EventServiceImplBase() {
            @Override
            public void processEvent(EventRequest request, StreamObserver<EventResponse> replies) {
                if (messages.event(request) instanceof Problem problem) {
                    replies.onError(Statuses.exception(problem));
                } else {
                    replies.onNext(Messages.STORED);
                    replies.onCompleted();
                }
            }
        };
    }
}
