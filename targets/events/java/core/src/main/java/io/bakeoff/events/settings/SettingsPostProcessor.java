package io.bakeoff.events.settings;

import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Checks the settings before anything starts, and hands those that Spring itself must know on to {@code
 * application.yml}, defaults filled in. Runs last of its kind, so that the file has been read, and before the logging
 * is set up.
 */
public final class SettingsPostProcessor implements EnvironmentPostProcessor {
    private static final String PREFIX = "producer.";

    /** The settings of an environment, which have been checked at start. */
    public static Settings settings(ConfigurableEnvironment environment) {
        return Settings.read(property -> environment.getProperty(PREFIX + property));
    }

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        Settings settings = settings(environment);
        Map<String, Object> resolved = new HashMap<>();
        resolved.put(PREFIX + "bind", settings.bind().getHostAddress());
        resolved.put(PREFIX + "port", settings.port());
        resolved.put(PREFIX + "log-level", settings.logLevel());
        if (settings.logFormat().equals("json")) {
            resolved.put("logging.structured.format.console", "logstash");
        }
        if (settings.tls() != null) {
            resolved.putAll(bundle(settings.tls()));
        }
        environment.getPropertySources().addFirst(new MapPropertySource("settings", resolved));
    }

    /** What {@code application.yml} would say of either server. The JDK's own default is TLS 1.2 and 1.3, too. */
    private static Map<String, Object> bundle(Tls tls) {
        return Map.of(
                "spring.ssl.bundle.pem.server.keystore.certificate",
                tls.certificates().toUri().toString(),
                "spring.ssl.bundle.pem.server.keystore.private-key",
                tls.key().toUri().toString(),
                "spring.ssl.bundle.pem.server.options.enabled-protocols",
                "TLSv1.2,TLSv1.3",
                "server.ssl.bundle",
                "server",
                "server.http2.enabled",
                true,
                "spring.grpc.server.ssl.bundle",
                "server");
    }
}
