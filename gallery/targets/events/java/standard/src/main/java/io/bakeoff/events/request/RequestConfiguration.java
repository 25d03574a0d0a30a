package io.bakeoff.events.request;

import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.type.LogicalType;

/** How Jackson binds requests. */
@Configuration(proxyBeanMethods = false)
public class RequestConfiguration {
    /** A number or boolean is not a text; by default Jackson would convert it. */
    @Bean
    JsonMapperBuilderCustomizer textsAreTexts() {
        return mapper -> mapper.withCoercionConfig(
                LogicalType.Textual,
                texts -> texts.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                        .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                        .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail));
    }
}
