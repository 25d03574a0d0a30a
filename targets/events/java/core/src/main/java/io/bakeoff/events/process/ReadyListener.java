package io.bakeoff.events.process;

import io.bakeoff.events.settings.Settings;
import java.net.InetSocketAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

/** Tells once that the application listens, and on what it runs. */
final class ReadyListener implements ApplicationListener<ApplicationReadyEvent> {
    private static final Logger log = LoggerFactory.getLogger(ReadyListener.class);

    private final Settings settings;
    private final ServerPort port;

    ReadyListener(Settings settings, ServerPort port) {
        this.settings = settings;
        this.port = port;
    }

    @Override
    public void onApplicationEvent(ApplicationReadyEvent event) {
        log.atInfo()
                .addKeyValue("address", address())
                .addKeyValue("write_mode", settings.writeMode())
                .addKeyValue("java", System.getProperty("java.vm.name") + " " + Runtime.version())
                .log("listening");
        // A JVM that is asked to end by a signal would end with status 143; the contract wants 0. Handlers run when
        // all contexts are closed. Not before the start has succeeded: a failed one must end with status 1.
        SpringApplication.getShutdownHandlers().add(() -> Runtime.getRuntime().halt(0));
    }

    private String address() {
        String text = new InetSocketAddress(settings.bind(), port.number()).toString();
        return text.substring(text.indexOf('/') + 1);
    }
}
