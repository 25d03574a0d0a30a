package io.bakeoff.events.settings;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Iterator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks bearer tokens, if one is required. Never reveals the token. */
public final class Authorization {
    private static final Authorization NOT_REQUIRED = new Authorization(null);
    private static final Pattern USABLE = Pattern.compile("[!-~]{1,256}");
    private static final String SCHEME = "Bearer ";

    private final byte @Nullable [] token;

    private Authorization(byte @Nullable [] token) {
        this.token = token;
    }

    /**
     * Creates the check for a setting; an empty one requires no token.
     *
     * @throws SettingException when the token cannot be used
     */
    static Authorization of(String token) {
        if (token.isEmpty()) {
            return NOT_REQUIRED;
        }
        if (!USABLE.matcher(token).matches()) {
            throw new SettingException("API_TOKEN cannot be used: use 1 to 256 visible ASCII characters");
        }
        return new Authorization(token.getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * Whether a request with these {@code Authorization} headers is permitted. Exactly one header is accepted, compared
     * in constant time.
     */
    public boolean permits(Iterable<String> headers) {
        if (token == null) {
            return true;
        }
        Iterator<String> values = headers.iterator();
        return values.hasNext() && isRight(token, values.next()) && !values.hasNext();
    }

    private static boolean isRight(byte[] token, String header) {
        // The scheme is not secret, and is case-insensitive.
        return header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
                && MessageDigest.isEqual(
                        token, header.substring(SCHEME.length()).getBytes(StandardCharsets.UTF_8));
    }
}
