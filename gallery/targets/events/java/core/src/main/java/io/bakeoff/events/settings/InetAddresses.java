package io.bakeoff.events.settings;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/** IP addresses as text. */
final class InetAddresses {
    private static final Pattern V4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
    private static final Pattern V6 = Pattern.compile("[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(%\\w+)?");

    private InetAddresses() {}

    /**
     * Parses an address. Never resolves names: only address literals reach the resolver.
     *
     * @throws IllegalArgumentException when it is not an address
     */
    static InetAddress parse(String text) {
        if (!V4.matcher(text).matches() && !V6.matcher(text).matches()) {
            throw new IllegalArgumentException(text);
        }
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException notAnAddress) {
            throw new IllegalArgumentException(text, notAnAddress);
        }
    }
}
