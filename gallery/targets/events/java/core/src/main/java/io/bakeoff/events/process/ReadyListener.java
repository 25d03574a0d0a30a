package io.bakeoff.events.process;

import io.bakeoff.events.settings.Settings;
import java.net.InetSocketAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

/** Logs once that the application listens, and its runtime. */
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
        // A JVM stopped by a signal exits with status 143; the contract requires 0. Handlers run when all contexts are
        // closed. Not registered before: a failed start must exit with status 1.
        SpringApplication.getShutdownHandlers().add(() -> Runtime.getRuntime().halt(0));
    }

    private String address() {
        String text = new InetSocketAddress(settings.bind(), port.number()).toString();
        return text.substring(text.indexOf('/') + 1);
    }
}
