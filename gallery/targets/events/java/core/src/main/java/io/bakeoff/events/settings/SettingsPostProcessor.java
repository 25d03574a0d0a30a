package io.bakeoff.events.settings;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;

/**
 * Validates the settings before anything starts, and maps them to Spring's properties with the highest precedence:
 * {@code SERVER_PORT} would otherwise bind to a property of Spring's. Runs after {@code application.yml} has been read and
 * before logging is initialised.
 */
public final class SettingsPostProcessor implements EnvironmentPostProcessor {
    private static final Set<String> OF_THE_APPLICATION =
            Set.of(Settings.PORT_VARIABLE, Settings.DEFAULT_PORT, Settings.DEFAULT_STREAMS);

    /** Reads the settings, which have been validated at start. */
    public static Settings settings(ConfigurableEnvironment environment) {
        return Settings.read(name -> OF_THE_APPLICATION.contains(name)
                ? environment.getProperty("producer." + name)
                : raw(environment, name));
    }

    /** The unmodified value. Spring would expand placeholders in it, or repeat it in an error. */
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
        resolved.putAll(r2dbc(settings));
        // For the property of the server that each application has in its application.yml.
        resolved.put("producer.idle-timeout", settings.limits().idle().toString());
        resolved.put("logging.level.io.bakeoff", settings.logLevel());
        if (settings.logFormat().equals("json")) {
            resolved.put("logging.structured.format.console", "logstash");
        }
        if (settings.tls() != null) {
            resolved.putAll(bundle(settings.tls()));
        }
        environment.getPropertySources().addFirst(new MapPropertySource("settings", resolved));
    }

    /** The properties of Spring Boot's connection pool. */
    private static Map<String, Object> r2dbc(Settings settings) {
        DatabaseUrl database = settings.database();
        return Map.of(
                "spring.r2dbc.url",
                "r2dbc:postgresql://" + database.authority() + "/" + database.encodedName(),
                "spring.r2dbc.username",
                database.user(),
                "spring.r2dbc.password",
                database.password(),
                "spring.r2dbc.properties.sslMode",
                database.sslMode().name().toLowerCase(Locale.ROOT).replace("_", "-"),
                "spring.r2dbc.pool.max-size",
                settings.poolSize());
    }

    /** The TLS properties of either server. */
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
