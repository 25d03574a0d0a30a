package io.bakeoff.events.json;

import io.bakeoff.events.decoding.Escapes;
import io.bakeoff.events.decoding.Text;
import io.bakeoff.events.decoding.Unstorable;
import io.bakeoff.events.model.Limits;
import org.jspecify.annotations.Nullable;

/** Finds the first reason why attributes cannot be stored. */
final class StorabilityCheck implements ValueVisitor {
    private @Nullable Unstorable unstorable;

    @Nullable
    Unstorable unstorable() {
        return unstorable;
    }

    @Override
    public void string(Text inside) {
        if (unstorable == null) {
            unstorable = Escapes.unstorable(inside);
        }
    }

    @Override
    public void number(Text literal) {
        if (unstorable == null && !Numbers.isStorable(literal)) {
            unstorable = Unstorable.NUMBER_RANGE;
        }
    }

    @Override
    public void opens(int depth) {
        if (unstorable == null && depth > Limits.ATTRIBUTE_DEPTH) {
            unstorable = Unstorable.DEPTH;
        }
    }
}
