package io.bakeoff.events.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LayersTest {
    private static final String PLANTED = LayersTest.class.getPackageName() + ".planted";

    @ParameterizedTest
    @MethodSource("io.bakeoff.events.architecture.Layers#rules")
    void theCoreKeepsTheDirectionOfDependencies(ArchRule rule) {
        JavaClasses classes = Layers.productionClasses();
        assertThat(classes).isNotEmpty();
        rule.check(classes);
    }

    @Test
    void aCycleBetweenPackagesIsDetected() {
        JavaClasses classes = new ClassFileImporter().importPackages(PLANTED);
        assertThatThrownBy(() -> Layers.noCycles(PLANTED).check(classes))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Cycle detected: Slice storage")
                .hasMessageContaining("Slice transport");
    }
}
