package io.bakeoff.events.json;

import io.bakeoff.events.decoding.Text;

/** Visits the parts of a value while it is read. */
interface ValueVisitor {
    /** Ignores all parts. */
    ValueVisitor NONE = new ValueVisitor() {
        @Override
        public void string(Text inside) {}

        @Override
        public void number(Text literal) {}

        @Override
        public void opens(int depth) {}
    };

    /** A string or a member name with escape sequences. */
    void string(Text inside);

    /** A number. */
    void number(Text literal);

    /** The start of an object or array at level {@code depth}; the outermost is 1. */
    void opens(int depth);
}
