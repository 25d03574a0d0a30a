package io.bakeoff.events.settings;

/** How events are written to the database. */
public enum WriteMode {
    /** Many requests share a transaction. */
    GROUP_COMMIT("group-commit"),
    /** Each request has its own. */
    PER_REQUEST("per-request");

    private final String word;

    WriteMode(String word) {
        this.word = word;
    }

    @Override
    public String toString() {
        return word;
    }
}
