package io.bakeoff.events.json;

import io.bakeoff.events.decoding.Text;

/** Looks at what a walk over a value passes. */
interface Inspector {
    /** Looks at nothing. */
    Inspector NONE = new Inspector() {
        @Override
        public void string(Text inside) {}

        @Override
        public void number(Text literal) {}

        @Override
        public void opens(int depth) {}
    };

    /** A string or the name of a member that holds escapes. */
    void string(Text inside);

    /** A number. */
    void number(Text literal);

    /** An object or array opens, {@code depth} levels deep, the outermost being 1. */
    void opens(int depth);
}
