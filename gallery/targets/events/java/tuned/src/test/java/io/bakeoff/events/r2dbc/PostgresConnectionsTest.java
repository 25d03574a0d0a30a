package io.bakeoff.events.r2dbc;

import static io.bakeoff.events.writing.Events.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;

import io.bakeoff.events.writing.Rows;
import io.bakeoff.events.writing.StorageException;
import io.bakeoff.events.writing.StorageException.Reason;
import io.r2dbc.pool.ConnectionPool;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.ValidationDepth;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.scheduler.VirtualTimeScheduler;

class PostgresConnectionsTest {
    private static final Duration ACQUIRE_TIMEOUT = Duration.ofSeconds(5);

    private final VirtualTimeScheduler clock = VirtualTimeScheduler.getOrSet();

    @AfterEach
    void restoreTheClock() {
        VirtualTimeScheduler.reset();
    }

    @Test
    void waitingForAConnectionTimesOut() {
        ConnectionPool pool = PostgresConnections.pool(factory(), 1, ACQUIRE_TIMEOUT);
        assertThat(pool.create().toFuture()).isCompleted();

        var stored = new PostgresStorage(pool, Duration.ofDays(1))
                .store(Rows.merge(List.of(event("1={}"))))
                .toFuture();
        clock.advanceTimeBy(ACQUIRE_TIMEOUT.minusMillis(1));
        assertThat(stored).isNotDone();
        clock.advanceTimeBy(Duration.ofMillis(1));
        assertThat(stored)
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(ExecutionException.class)
                .havingCause()
                .isInstanceOfSatisfying(
                        StorageException.class,
                        delay -> assertThat(delay.reason()).isEqualTo(Reason.TIMED_OUT));
    }

    private static ConnectionFactory factory() {
        Connection connection = mock();
        doReturn(Mono.just(true)).when(connection).validate(ValidationDepth.LOCAL);
        ConnectionFactory factory = mock();
        doReturn(Mono.just(connection)).when(factory).create();
        return factory;
    }
}
