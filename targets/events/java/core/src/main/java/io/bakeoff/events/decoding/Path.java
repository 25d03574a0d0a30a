package io.bakeoff.events.decoding;

/** Where a field stands; written out only when a rule is broken. */
sealed interface Path {
    /** A path that is always the same. */
    record Fixed(String text) implements Path {
        @Override
        public String toString() {
            return text;
        }
    }

    /** An entity or, with a name, a field of it. */
    record OfEntity(int index, String name) implements Path {
        @Override
        public String toString() {
            return "eventBody.entities[" + index + "]" + name;
        }
    }
}
