package io.bakeoff.events.tunedrest;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import io.bakeoff.events.architecture.Layers;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LayersTest {
    @ParameterizedTest
    @MethodSource("io.bakeoff.events.architecture.Layers#rules")
    void theTransportKeepsTheDirectionOfDependencies(ArchRule rule) {
        JavaClasses classes = Layers.productionClasses();
        assertThat(classes.containPackage("io.bakeoff.events.tunedrest")).isTrue();
        rule.check(classes);
    }
}
