package io.bakeoff.orders;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.type.LogicalType;

/** A service of orders on Spring WebFlux and Spring Data R2DBC. */
@SpringBootApplication
public class OrdersApplication {
    private static final int MAX_CONNECTIONS = 8_192;

    /** Starts the service. */
    public static void main(String[] arguments) {
        SpringApplication application = new SpringApplication(OrdersApplication.class);
        application.setDefaultProperties(connection(URI.create(System.getenv("DATABASE_URL"))));
        application.run(arguments);
    }

    /** A request that takes longer to arrive is answered 408. */
    @Bean
    WebServerFactoryCustomizer<NettyReactiveWebServerFactory> limits(@Value("${READ_TIMEOUT:60s}") Duration read) {
        return factory -> factory.addServerCustomizers(
                server -> server.requestTimeout(read).maxConnections(MAX_CONNECTIONS));
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
