package io.bakeoff.events.json;

import io.bakeoff.events.decoding.Escapes;
import io.bakeoff.events.decoding.Flaw;
import io.bakeoff.events.decoding.Text;
import io.bakeoff.events.model.Limits;
import org.jspecify.annotations.Nullable;

/** Keeps the first thing in attributes that cannot be stored. */
final class Storability implements Inspector {
    private @Nullable Flaw flaw;

    @Nullable
    Flaw flaw() {
        return flaw;
    }

    @Override
    public void string(Text inside) {
        if (flaw == null) {
            flaw = Escapes.flaw(inside);
        }
    }

    @Override
    public void number(Text literal) {
        if (flaw == null && !Numbers.isStorable(literal)) {
            flaw = Flaw.NUMBER_RANGE;
        }
    }

    @Override
    public void opens(int depth) {
        if (flaw == null && depth > Limits.ATTRIBUTE_DEPTH) {
            flaw = Flaw.DEPTH;
        }
    }
}
