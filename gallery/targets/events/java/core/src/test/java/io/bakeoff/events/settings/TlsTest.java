package io.bakeoff.events.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URISyntaxException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TlsTest {
    @Test
    void withoutFilesThereIsNoTls() {
        assertThat(Tls.of("", "")).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ec", "rsa"})
    void aCertificateAndItsKey(String kind) {
        Tls tls = Tls.of(file(kind + "-certificate.pem"), file(kind + "-key.pem"));
        assertThat(tls).isNotNull();
        assertThat(tls.certificates()).isAbsolute().hasFileName(kind + "-certificate.pem");
        assertThat(tls.key()).isAbsolute().hasFileName(kind + "-key.pem");
    }

    @ParameterizedTest
    @CsvSource({
        "ec-certificate.pem, rsa-key.pem, TLS_KEY_FILE, the RSA or EC key of the certificate in TLS_CERT_FILE",
        "ec-key.pem, ec-key.pem, TLS_CERT_FILE, a PEM file that holds certificates",
        "ec-certificate.pem, ec-certificate.pem, TLS_KEY_FILE, a PEM file that holds a private key"
    })
    void invalidFilesAreReportedWithValidOnes(String certificates, String key, String variable, String advice) {
        assertThatThrownBy(() -> Tls.of(file(certificates), file(key)))
                .isInstanceOf(SettingException.class)
                .hasMessageMatching(variable + " is \".*\\.pem\": use " + advice);
    }

    @Test
    void missingFiles() {
        assertThatThrownBy(() -> Tls.of("/nowhere", "/nowhere"))
                .hasMessage("TLS_CERT_FILE is \"/nowhere\": use a PEM file that holds certificates");
    }

    @ParameterizedTest
    @CsvSource({"x, ''", "'', x"})
    void oneOfTheFilesIsNotEnough(String certificates, String key) {
        assertThatThrownBy(() -> Tls.of(certificates, key))
                .isInstanceOf(SettingException.class)
                .hasMessage("only one of TLS_CERT_FILE and TLS_KEY_FILE is set: set both or neither");
    }

    private static String file(String name) {
        try {
            return Path.of(TlsTest.class.getResource(name).toURI()).toString();
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
