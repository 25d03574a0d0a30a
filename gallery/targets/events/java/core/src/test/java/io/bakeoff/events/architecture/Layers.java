package io.bakeoff.events.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;

/** The direction of dependencies between packages. Each module checks its own classes against these rules. */
public final class Layers {
    /** Root of all packages. */
    public static final String ROOT = "io.bakeoff.events";

    private static final List<String> TRANSPORTS = List.of("rest", "grpc", "tunedrest", "tunedgrpc");

    private Layers() {}

    /** All rules. */
    public static List<ArchRule> rules() {
        return List.of(noCycles(ROOT), direction(), coreWithoutTransport(), classesApart());
    }

    /** Production classes on the class path. */
    public static JavaClasses productionClasses() {
        return new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .withImportOption(location -> !location.contains("tests.jar"))
                .importPackages(ROOT);
    }

    static ArchRule noCycles(String root) {
        return slices().matching(root + ".(*)..").should().beFreeOfCycles();
    }

    /** A layer may only use the layers that it names. */
    private static ArchRule direction() {
        return layeredArchitecture()
                .consideringOnlyDependenciesInAnyPackage(ROOT + "..")
                .withOptionalLayers(true)
                .layer("model")
                .definedBy(in("model"))
                .layer("settings")
                .definedBy(in("settings"))
                .layer("writing")
                .definedBy(in("writing"))
                .layer("postgres")
                .definedBy(in("postgres"))
                .layer("process")
                .definedBy(in("process"))
                .layer("requests")
                .definedBy(in("request"))
                .layer("decoding")
                .definedBy(in("decoding"))
                .layer("decoders")
                .definedBy(in("json"), in("protobuf"))
                .layer("storages")
                .definedBy(in("database"), in("r2dbc"))
                .layer("transports")
                .definedBy(TRANSPORTS.stream().map(Layers::in).toArray(String[]::new))
                .whereLayer("model")
                .mayNotAccessAnyLayer()
                .whereLayer("settings")
                .mayNotAccessAnyLayer()
                .whereLayer("writing")
                .mayOnlyAccessLayers("model", "settings")
                .whereLayer("postgres")
                .mayOnlyAccessLayers("writing")
                .whereLayer("process")
                .mayOnlyAccessLayers("writing", "settings")
                .whereLayer("requests")
                .mayOnlyAccessLayers("model")
                .whereLayer("decoding")
                .mayOnlyAccessLayers("model")
                .whereLayer("decoders")
                .mayOnlyAccessLayers("decoding", "model")
                .whereLayer("storages")
                .mayOnlyAccessLayers("postgres", "writing", "settings", "model")
                .whereLayer("transports")
                .mayOnlyAccessLayers("process", "storages", "requests", "decoders", "writing", "settings", "model")
                .ensureAllClassesAreContainedInArchitectureIgnoring(ROOT + ".architecture..", "com.example..");
    }

    /** The core is the same for REST and gRPC. */
    private static ArchRule coreWithoutTransport() {
        String[] transports = TRANSPORTS.stream().map(Layers::in).toArray(String[]::new);
        return noClasses()
                .that()
                .resideInAPackage(ROOT + "..")
                .and()
                .resideOutsideOfPackages(transports)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "org.springframework.web..",
                        "org.springframework.http..",
                        "org.springframework.grpc..",
                        "reactor.netty.http..",
                        "io.netty.handler.codec.http..",
                        "io.grpc..",
                        "com.google.protobuf..",
                        "com.example.grpc..");
    }

    /** The standard class uses nothing of the tuned one. */
    private static ArchRule classesApart() {
        return noClasses()
                .that()
                .resideInAnyPackage(in("request"), in("database"), in("rest"), in("grpc"))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        in("decoding"), in("json"), in("protobuf"), in("r2dbc"), in("tunedrest"), in("tunedgrpc"))
                .allowEmptyShould(true);
    }

    private static String in(String name) {
        return ROOT + "." + name + "..";
    }
}
