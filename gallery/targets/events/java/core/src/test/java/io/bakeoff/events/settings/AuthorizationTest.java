package io.bakeoff.events.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuthorizationTest {
    @Test
    void withoutATokenAllCallsArePermitted() {
        assertThat(Authorization.of("").permits(List.of())).isTrue();
        assertThat(Authorization.of("").permits(List.of("Basic abc"))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bearer s3cret!", "bearer s3cret!"})
    void theTokenIsAccepted(String header) {
        assertThat(Authorization.of("s3cret!").permits(List.of(header))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "Bearer", "Bearer ", "Bearer s3cret", "Bearer s3cret!!", "Bearer  s3cret!", "Basic s3cret!"})
    void otherTokensAreRejected(String header) {
        assertThat(Authorization.of("s3cret!").permits(List.of(header))).isFalse();
    }

    @Test
    void missingAndMultipleTokensAreRejected() {
        Authorization authorization = Authorization.of("s3cret!");
        assertThat(authorization.permits(List.of())).isFalse();
        assertThat(authorization.permits(List.of("Bearer s3cret!", "Bearer s3cret!")))
                .isFalse();
        assertThat(authorization.permits(List.of("Bearer s3cret!", "Bearer other")))
                .isFalse();
        assertThat(authorization.permits(List.of("Basic abc", "Bearer s3cret!")))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"with space", "täglich", "new\nline"})
    void aTokenThatCannotBeUsedIsNotRepeated(String token) {
        assertThatThrownBy(() -> Authorization.of(token))
                .isInstanceOf(SettingException.class)
                .hasMessage("API_TOKEN cannot be used: use 1 to 256 visible ASCII characters");
    }

    @Test
    void aTokenHas256CharactersAtTheMost() {
        assertThat(Authorization.of("x".repeat(256)).permits(List.of("Bearer " + "x".repeat(256))))
                .isTrue();
        assertThatThrownBy(() -> Authorization.of("x".repeat(257))).isInstanceOf(SettingException.class);
    }

    @Test
    void settingsDoNotRevealIt() {
        assertThat(Settings.read(variable -> variable.equals("API_TOKEN") ? "s3cret!" : null)
                        .toString())
                .doesNotContain("s3cret!");
    }
}
