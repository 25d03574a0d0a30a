package io.bakeoff.orders;

import java.net.URI;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.type.LogicalType;

/** A service of orders on Spring MVC and Spring Data JPA. */
@SpringBootApplication
public class OrdersApplication {
    /** Starts the service. */
    public static void main(String[] arguments) {
        SpringApplication application = new SpringApplication(OrdersApplication.class);
        application.setDefaultProperties(datasource(URI.create(System.getenv("DATABASE_URL"))));
        application.run(arguments);
    }

    /** A number is not a text; by default Jackson would convert it. */
    @Bean
    JsonMapperBuilderCustomizer textsAreTexts() {
        return mapper -> mapper.withCoercionConfig(
                LogicalType.Textual,
                texts -> texts.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                        .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                        .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail));
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
