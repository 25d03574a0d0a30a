package io.bakeoff.events.process;

import io.bakeoff.events.settings.SettingException;
import io.bakeoff.events.settings.Settings;
import io.bakeoff.events.writing.EventWriter;
import io.bakeoff.events.writing.Storage;
import io.bakeoff.events.writing.StorageException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import reactor.core.Exceptions;
import reactor.util.retry.Retry;

/** Creates the table before the server listens, and stores accepted events after it has stopped. */
final class WriterLifecycle implements SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(WriterLifecycle.class);

    /** For events whose clients have disconnected: all others were answered before the server stopped. */
    private static final Duration ABANDONED_EVENTS_TIMEOUT = Duration.ofSeconds(1);

    /** On a busy machine the first connection of a JVM that has just started may exceed the timeout. */
    private static final int SLOW_STARTS = 3;

    private final Settings settings;
    private final Storage storage;
    private final EventWriter writer;
    private volatile boolean running;

    WriterLifecycle(Settings settings, Storage storage, EventWriter writer) {
        this.settings = settings;
        this.storage = storage;
        this.writer = writer;
    }

    @Override
    public void start() {
        try {
            writer.retry(storage.prepare())
                    .retryWhen(Retry.max(SLOW_STARTS).filter(WriterLifecycle::isTimeout))
                    .block();
            running = true;
        } catch (RuntimeException failure) {
            Throwable cause = Exceptions.isRetryExhausted(failure) ? failure.getCause() : Exceptions.unwrap(failure);
            if (cause instanceof StorageException reason) {
                throw new SettingException("cannot use " + settings.database() + ": " + reason.getMessage()
                        + ": start it, or set DATABASE_URL");
            }
            throw failure;
        }
    }

    private static boolean isTimeout(Throwable failure) {
        return failure instanceof StorageException reason && reason.reason() == StorageException.Reason.TIMED_OUT;
    }

    @Override
    public void stop(Runnable callback) {
        running = false;
        writer.drain()
                .timeout(ABANDONED_EVENTS_TIMEOUT)
                .onErrorComplete()
                .subscribe(nothing -> {}, failure -> {}, () -> {
                    log.info("stopped");
                    callback.run();
                });
    }

    @Override
    public void stop() {
        throw new UnsupportedOperationException("only the asynchronous stop is supported");
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Servers have phases near the maximum: they start after this and stop before it. */
    @Override
    public int getPhase() {
        return 0;
    }
}
