package io.bakeoff.orders;

import java.net.URI;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A service of orders on Spring MVC and Spring Data JPA. */
@SpringBootApplication
public class OrdersApplication {
    /** Starts the service. */
    public static void main(String[] arguments) {
        SpringApplication application = new SpringApplication(OrdersApplication.class);
        application.setDefaultProperties(datasource(URI.create(System.getenv("DATABASE_URL"))));
        application.run(arguments);
    }

    /** JDBC takes the user and the password apart from the URL. */
    private static Map<String, Object> datasource(URI url) {
        String[] user = url.getUserInfo().split(":", 2);
        String query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
        return Map.of(
                "spring.datasource.url",
                "jdbc:postgresql://" + url.getHost() + ":" + url.getPort() + url.getRawPath() + query,
                "spring.datasource.username",
                user[0],
                "spring.datasource.password",
                user.length > 1 ? user[1] : "");
    }
}
