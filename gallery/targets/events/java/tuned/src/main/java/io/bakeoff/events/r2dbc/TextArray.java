package io.bakeoff.events.r2dbc;

import io.bakeoff.events.model.Entity;
import io.netty.buffer.ByteBuf;
import java.util.List;

/** One column of rows, as a parameter of type {@code text[]}. */
record TextArray(List<Entity> rows, Column column) {
    /** A part of an entity. */
    enum Column {
        TYPE,
        ID,
        DATA
    }

    /** Length of all texts in bytes. */
    int bytes() {
        return rows.stream().mapToInt(this::length).sum();
    }

    int length(Entity row) {
        return switch (column) {
            case TYPE -> row.key().typeLength();
            case ID -> row.key().text().length - row.key().typeLength();
            case DATA -> row.attributes().length;
        };
    }

    void write(Entity row, ByteBuf to) {
        switch (column) {
            case TYPE -> to.writeBytes(row.key().text(), 0, length(row));
            case ID -> to.writeBytes(row.key().text(), row.key().typeLength(), length(row));
            case DATA -> to.writeBytes(row.attributes());
        }
    }
}
