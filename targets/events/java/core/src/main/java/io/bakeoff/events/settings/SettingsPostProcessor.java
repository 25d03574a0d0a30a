package io.bakeoff.events.settings;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;

/**
 * Checks the settings before anything starts, and hands those that Spring itself must know on to it, before all else
 * that it knows: to Spring, {@code SERVER_PORT} is the name of a setting of its own. Runs last of its kind, so that
 * {@code application.yml} has been read, and before the logging is set up.
 */
public final class SettingsPostProcessor implements EnvironmentPostProcessor {
    private static final Set<String> OF_THE_APPLICATION = Set.of(Settings.PORT_VARIABLE, Settings.DEFAULT_PORT);

    /** The settings of an environment, which have been checked at start. */
    public static Settings settings(ConfigurableEnvironment environment) {
        return Settings.read(name -> OF_THE_APPLICATION.contains(name)
                ? environment.getProperty("producer." + name)
                : raw(environment, name));
    }

    /** As it is set. Spring would expand what looks like a placeholder of its own, or repeat it in an error. */
    private static @Nullable String raw(ConfigurableEnvironment environment, String variable) {
        for (PropertySource<?> source : environment.getPropertySources()) {
            Object value = source.getProperty(variable);
            if (value != null) {
                return value.toString();
            }
        }
        return null;
    }

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        Settings settings = settings(environment);
        Map<String, Object> resolved = new HashMap<>();
        for (String server : List.of("server.", "spring.grpc.server.")) {
            resolved.put(server + "address", settings.bind().getHostAddress());
            resolved.put(server + "port", settings.port());
        }
        resolved.put("logging.level.io.bakeoff", settings.logLevel());
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
