package io.bakeoff.orders;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;
import java.net.URI;

/** A service of orders on Quarkus REST and Hibernate ORM with Panache. */
@QuarkusMain
public class Main {
    /** Starts the service. */
    public static void main(String[] arguments) {
        configure(URI.create(System.getenv("DATABASE_URL")));
        Quarkus.run(arguments);
    }

    /** JDBC takes the user and the password apart from the URL. */
    private static void configure(URI url) {
        String[] user = url.getUserInfo().split(":", 2);
        String query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
        System.setProperty(
                "quarkus.datasource.jdbc.url",
                "jdbc:postgresql://" + url.getHost() + ":" + url.getPort() + url.getRawPath() + query);
        System.setProperty("quarkus.datasource.username", user[0]);
        System.setProperty("quarkus.datasource.password", user.length > 1 ? user[1] : "");
    }
}
