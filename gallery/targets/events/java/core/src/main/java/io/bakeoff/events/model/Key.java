package io.bakeoff.events.model;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The key of a row: an entity's type and id, in UTF-8.
 *
 * <p>The texts stay encoded: they are received and sent as bytes. One array holds both, so that a key takes two
 * allocations. Keys are comparable, so that hash tables stay fast when keys are chosen to collide.
 */
public final class Key implements Comparable<Key> {
    private final byte[] text;
    private final int typeLength;
    private final int hash;

    private Key(byte[] text, int typeLength) {
        this.text = text;
        this.typeLength = typeLength;
        this.hash = 31 * Arrays.hashCode(text) + typeLength;
    }

    /** The key of an entity, from slices {@code [start, end)} of other texts. */
    public static Key of(byte[] type, int typeStart, int typeEnd, byte[] id, int idStart, int idEnd) {
        int typeLength = typeEnd - typeStart;
        byte[] text = new byte[typeLength + idEnd - idStart];
        System.arraycopy(type, typeStart, text, 0, typeLength);
        System.arraycopy(id, idStart, text, typeLength, idEnd - idStart);
        return new Key(text, typeLength);
    }

    /** The key of an entity. */
    public static Key of(String type, String id) {
        byte[] typeBytes = type.getBytes(StandardCharsets.UTF_8);
        byte[] idBytes = id.getBytes(StandardCharsets.UTF_8);
        return of(typeBytes, 0, typeBytes.length, idBytes, 0, idBytes.length);
    }

    /** The bytes of the type, followed by those of the id. */
    public byte[] text() {
        return text;
    }

    /** Length of the type in bytes. */
    public int typeLength() {
        return typeLength;
    }

    /** Ordered by the unsigned bytes of the type, then of the id. */
    @Override
    public int compareTo(Key other) {
        int types = Arrays.compareUnsigned(text, 0, typeLength, other.text, 0, other.typeLength);
        return types != 0
                ? types
                : Arrays.compareUnsigned(
                        text, typeLength, text.length, other.text, other.typeLength, other.text.length);
    }

    @Override
    public boolean equals(Object object) {
        return object instanceof Key other
                && hash == other.hash
                && typeLength == other.typeLength
                && Arrays.equals(text, other.text);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** The type as text. */
    public String type() {
        return new String(text, 0, typeLength, StandardCharsets.UTF_8);
    }

    /** The id as text. */
    public String id() {
        return new String(text, typeLength, text.length - typeLength, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return type() + "/" + id();
    }
}
