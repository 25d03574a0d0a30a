package io.bakeoff.events.settings;

/** The process cannot start with these settings; the message reports the problem and the fix. */
public final class SettingException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** A reason without a cause. */
    public SettingException(String message) {
        super(message);
    }
}
