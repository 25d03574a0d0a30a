package io.bakeoff.events.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class SettingsPostProcessorTest {
    private static final String ENVIRONMENT = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;

    @ParameterizedTest
    @ValueSource(strings = {"server", "spring.grpc.server"})
    void theValidatedSettingsDecideWhereToListen(String server) {
        ConfigurableEnvironment environment = processed(Map.of(
                "BIND", "127.0.0.2",
                "GRPC_SERVER_PORT", "9999",
                "SERVER_PORT", "1",
                "SERVER_ADDRESS", "0.0.0.0",
                "SPRING_GRPC_SERVER_PORT", "2",
                "SPRING_GRPC_SERVER_ADDRESS", "0.0.0.0"));
        assertThat(environment.getProperty(server + ".address")).isEqualTo("127.0.0.2");
        assertThat(environment.getProperty(server + ".port")).isEqualTo("9999");
    }

    @ParameterizedTest
    @ValueSource(strings = {"server", "spring.grpc.server"})
    void anEmptyVariableCountsAsUnset(String server) {
        ConfigurableEnvironment environment =
                processed(Map.of("BIND", "", "GRPC_SERVER_PORT", "", "SERVER_PORT", "", "SERVER_ADDRESS", ""));
        assertThat(environment.getProperty(server + ".address")).isEqualTo("127.0.0.1");
        assertThat(environment.getProperty(server + ".port")).isEqualTo("9090");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a${HOME}", "a${no.such.name}", "${API_TOKEN}", "#{1}"})
    void theTokenIsTakenLiterally(String token) {
        Authorization authorization = SettingsPostProcessor.settings(
                        processed(Map.of("API_TOKEN", token, "HOME", "/home")))
                .authorization();
        assertThat(authorization.permits(List.of("Bearer " + token))).isTrue();
        assertThat(authorization.permits(List.of("Bearer a/home"))).isFalse();
    }

    @Test
    void aDatabaseUrlIsNeitherExpandedNorRepeated() {
        assertThatThrownBy(() -> processed(Map.of("DATABASE_URL", "postgresql://u:secret${no.such.name}@h/d")))
                .isInstanceOf(SettingException.class)
                .hasMessageNotContaining("secret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/no/${HOME}.pem", "/no/${no.such.name}.pem"})
    void filePathsAreTakenLiterally(String file) {
        assertThatThrownBy(() -> processed(Map.of("TLS_CERT_FILE", file, "TLS_KEY_FILE", file, "HOME", "/home")))
                .isInstanceOf(SettingException.class)
                .hasMessageStartingWith("TLS_CERT_FILE is \"" + file + "\": use ");
    }

    /** The environment of an application that listens on {@code GRPC_SERVER_PORT}. */
    private static ConfigurableEnvironment processed(Map<String, Object> variables) {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .replace(ENVIRONMENT, new SystemEnvironmentPropertySource(ENVIRONMENT, variables));
        environment
                .getPropertySources()
                .addLast(new MapPropertySource(
                        "application.yml",
                        Map.of("producer.port-variable", "GRPC_SERVER_PORT", "producer.default-port", "9090")));
        new SettingsPostProcessor().postProcessEnvironment(environment, new SpringApplication());
        return environment;
    }
}
