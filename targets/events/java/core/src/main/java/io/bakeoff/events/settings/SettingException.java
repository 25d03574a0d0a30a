package io.bakeoff.events.settings;

/** The process cannot start as it is set up; the message says what is wrong and what to do. */
public final class SettingException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** A reason without a cause that would add to it. */
    public SettingException(String message) {
        super(message);
    }
}
