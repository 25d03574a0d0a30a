package io.bakeoff.events.decoding;

/** The path of a field; formatted only when a rule is broken. */
sealed interface Path {
    /** A constant path. */
    record Fixed(String text) implements Path {
        @Override
        public String toString() {
            return text;
        }
    }

    /** The path of an entity or, with a name, of one of its fields. */
    record OfEntity(int index, String name) implements Path {
        @Override
        public String toString() {
            return "eventBody.entities[" + index + "]" + name;
        }
    }
}
