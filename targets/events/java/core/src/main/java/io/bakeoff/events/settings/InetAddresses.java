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
     * The address that a text is. Nothing is looked up: only what looks like an address gets as far as the resolver,
     * which does not resolve such texts either.
     *
     * @throws IllegalArgumentException when it is none
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
