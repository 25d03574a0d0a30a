package io.bakeoff.events.settings;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.pem.PemContent;

/**
 * Certificate and private key of the server.
 *
 * @param certificates PEM file of the certificate chain
 * @param key PEM file of its private key
 */
public record Tls(Path certificates, Path key) {
    /**
     * Reads the files of two settings and checks that they match; null when neither is set.
     *
     * @throws SettingException when they cannot be used
     */
    static @Nullable Tls of(String certificates, String key) {
        if (certificates.isEmpty() && key.isEmpty()) {
            return null;
        }
        if (certificates.isEmpty() || key.isEmpty()) {
            throw new SettingException("only one of TLS_CERT_FILE and TLS_KEY_FILE is set: set both or neither");
        }
        PublicKey publicKey = read("TLS_CERT_FILE", certificates, "certificates", PemContent::getCertificates)
                .get(0)
                .getPublicKey();
        PrivateKey privateKey = read("TLS_KEY_FILE", key, "a private key", PemContent::getPrivateKey);
        if (!belongTogether(publicKey, privateKey)) {
            throw Values.unusable("TLS_KEY_FILE", key, "the RSA or EC key of the certificate in TLS_CERT_FILE");
        }
        return new Tls(Path.of(certificates).toAbsolutePath(), Path.of(key).toAbsolutePath());
    }

    private static <T> T read(String variable, String file, String content, Function<PemContent, @Nullable T> part) {
        try {
            T found = part.apply(PemContent.load(Path.of(file)));
            if (found != null) {
                return found;
            }
        } catch (IOException | RuntimeException unreadable) {
            // Reported below, like a file with other content.
        }
        throw Values.unusable(variable, file, "a PEM file that holds " + content);
    }

    /** Whether the public key verifies a signature of the private key. */
    private static boolean belongTogether(PublicKey publicKey, PrivateKey privateKey) {
        try {
            boolean isRsa = privateKey.getAlgorithm().equals("RSA");
            Signature signature = Signature.getInstance(isRsa ? "SHA256withRSA" : "SHA256withECDSA");
            signature.initSign(privateKey);
            byte[] signed = signature.sign();
            signature.initVerify(publicKey);
            return signature.verify(signed);
        } catch (GeneralSecurityException ofDifferentKinds) {
            return false;
        }
    }
}
