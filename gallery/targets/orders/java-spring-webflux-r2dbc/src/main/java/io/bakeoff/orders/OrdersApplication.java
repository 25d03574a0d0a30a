package io.bakeoff.orders;

import java.net.URI;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A service of orders on Spring WebFlux and Spring Data R2DBC. */
@SpringBootApplication
public class OrdersApplication {
    /** Starts the service. */
    public static void main(String[] arguments) {
        SpringApplication application = new SpringApplication(OrdersApplication.class);
        application.setDefaultProperties(connection(URI.create(System.getenv("DATABASE_URL"))));
        application.run(arguments);
    }

    /** R2DBC takes the user and the password apart from the URL. */
    private static Map<String, Object> connection(URI url) {
        String[] user = url.getUserInfo().split(":", 2);
        String query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
        return Map.of(
                "spring.r2dbc.url",
                "r2dbc:postgresql://" + url.getHost() + ":" + url.getPort() + url.getRawPath() + query,
                "spring.r2dbc.username",
                user[0],
                "spring.r2dbc.password",
                user.length > 1 ? user[1] : "");
    }
}
