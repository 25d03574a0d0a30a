package io.bakeoff.events.settings;

import io.r2dbc.postgresql.client.SSLMode;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * {@code postgresql://user:password@host:port/database}, the format that libpq and most drivers use.
 *
 * @param sslMode as libpq names it, {@code disable}, {@code require}, …; without one it prefers TLS, as libpq does
 */
public record DatabaseUrl(String host, int port, String user, String password, String database, SSLMode sslMode) {
    private static final int DEFAULT_PORT = 5432;

    /**
     * Parses a URL. It contains a password, so no message repeats it.
     *
     * @throws SettingException when it is invalid
     */
    static DatabaseUrl parse(String text) {
        try {
            URI url = new URI(text);
            boolean isPostgres = "postgresql".equals(url.getScheme()) || "postgres".equals(url.getScheme());
            if (isPostgres && url.getHost() != null) {
                return of(url);
            }
        } catch (URISyntaxException | IllegalArgumentException notAUrl) {
            // The reason would repeat the URL.
        }
        throw new SettingException(
                "DATABASE_URL is not a PostgreSQL URL: use postgresql://USER:PASSWORD@HOST:PORT/DATABASE");
    }

    private static DatabaseUrl of(URI url) {
        String[] user = (url.getRawUserInfo() == null ? "postgres" : url.getRawUserInfo()).split(":", 2);
        String path = url.getRawPath() == null ? "" : url.getRawPath();
        String name = decode(user[0]);
        return new DatabaseUrl(
                // The brackets of an IPv6 address belong to the URL.
                url.getHost().replaceAll("^\\[|]$", ""),
                url.getPort() < 0 ? DEFAULT_PORT : url.getPort(),
                name,
                user.length > 1 ? decode(user[1]) : "",
                path.length() > 1 ? decode(path.substring(1)) : name,
                SSLMode.fromValue(parameter(url.getRawQuery(), "sslmode", "prefer")));
    }

    private static String parameter(@Nullable String query, String name, String otherwise) {
        for (String pair : (query == null ? "" : query).split("&")) {
            if (pair.startsWith(name + "=")) {
                return decode(pair.substring(name.length() + 1));
            }
        }
        return otherwise;
    }

    private static String decode(String text) {
        // Unlike in a form, a plus sign is not a space.
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** Host and port as a URL has them. */
    String authority() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /** The name of the database as a URL has it. */
    String encodedName() {
        return URLEncoder.encode(database, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "database " + database + " at " + host + ":" + port;
    }
}
