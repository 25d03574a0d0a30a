package io.bakeoff.events.json;

import io.bakeoff.events.decoding.Text;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** An RFC 8259 parser without recursion: a malicious body may nest as deep as it is long. */
final class JsonReader {
    private static final byte[] TRUE = {'t', 'r', 'u', 'e'};
    private static final byte[] FALSE = {'f', 'a', 'l', 's', 'e'};
    private static final byte[] NULL = {'n', 'u', 'l', 'l'};

    private final byte[] source;
    private int position;
    /** The closing brackets that are still expected. */
    private byte[] open = new byte[64];

    /** A parser of UTF-8 text. */
    JsonReader(byte[] source) {
        this.source = source;
    }

    /** Number of bytes read. */
    int position() {
        return position;
    }

    /** The bytes read since a position. */
    byte[] bytesFrom(int start) {
        return Arrays.copyOfRange(source, start, position);
    }

    /** Peeks at the first byte of the next token; 0 at the end of the text, which no token starts with. */
    int peek() {
        int next = current();
        while (next == ' ' || next == '\n' || next == '\t' || next == '\r') {
            position++;
            next = current();
        }
        return next;
    }

    /** Requires that only white space is left. */
    void end() throws SyntaxException {
        peek();
        if (position < source.length) {
            throw new SyntaxException();
        }
    }

    /** Enters an object. Returns the name of its first member, or null when it is empty. */
    @Nullable
    Text firstMember() throws SyntaxException {
        token('{');
        return take('}') ? null : name();
    }

    /** Returns the name of the next member, or null at the end of the object. */
    @Nullable
    Text nextMember() throws SyntaxException {
        if (take(',')) {
            return name();
        }
        token('}');
        return null;
    }

    /** Enters an array. Returns whether an element follows. */
    boolean firstElement() throws SyntaxException {
        token('[');
        return !take(']');
    }

    /** Returns whether another element follows. */
    boolean nextElement() throws SyntaxException {
        if (take(',')) {
            return true;
        }
        token(']');
        return false;
    }

    /** Reads a value of any type to its end. */
    void walk(ValueVisitor visitor) throws SyntaxException {
        int depth = 0;
        do {
            int next = peek();
            if (next == '{' || next == '[') {
                depth = enter(next, depth, visitor);
                if (!take(open[depth - 1])) {
                    member(open[depth - 1], visitor);
                    continue;
                }
                depth--;
            } else {
                scalar(next, visitor);
            }
            depth = leave(depth, visitor);
        } while (depth > 0);
    }

    /** Reads a string. */
    Text string() throws SyntaxException {
        token('"');
        int start = position;
        boolean escaped = false;
        while (true) {
            position = PlainBytes.skip(source, position);
            int next = current();
            if (next == '"') {
                break;
            }
            if (next == '\\') {
                escaped = true;
                escape();
            } else if (next >= 0 && next < ' ') {
                // Also the end of the text: either that or a NUL, which is invalid too.
                throw new SyntaxException();
            } else {
                position++;
            }
        }
        return new Text(source, start, position++, escaped ? Text.Form.ESCAPED : Text.Form.PLAIN);
    }

    /** Reads a number. Returns null when it has a fraction or an exponent. */
    @Nullable
    Text integer() throws SyntaxException {
        Text number = number();
        return number.form() == Text.Form.INTEGER ? number : null;
    }

    /** Reads {@code null}. */
    void nothing() throws SyntaxException {
        word(NULL);
    }

    private int enter(int bracket, int depth, ValueVisitor visitor) {
        position++;
        if (depth == open.length) {
            open = Arrays.copyOf(open, depth * 2);
        }
        open[depth] = (byte) (bracket == '{' ? '}' : ']');
        visitor.opens(depth + 1);
        return depth + 1;
    }

    /** Closes objects and arrays that end here. Returns the remaining depth; unless it is 0 another value follows. */
    private int leave(int from, ValueVisitor visitor) throws SyntaxException {
        int depth = from;
        while (depth > 0 && !take(',')) {
            token(open[depth - 1]);
            depth--;
        }
        if (depth > 0) {
            member(open[depth - 1], visitor);
        }
        return depth;
    }

    private void member(byte closing, ValueVisitor visitor) throws SyntaxException {
        if (closing == '}') {
            inspect(name(), visitor);
        }
    }

    private void scalar(int first, ValueVisitor visitor) throws SyntaxException {
        switch (first) {
            case '"' -> inspect(string(), visitor);
            case 't' -> word(TRUE);
            case 'f' -> word(FALSE);
            case 'n' -> word(NULL);
            default -> visitor.number(number());
        }
    }

    private static void inspect(Text string, ValueVisitor visitor) {
        if (string.form() == Text.Form.ESCAPED) {
            visitor.string(string);
        }
    }

    /** Reads the name of a member and the colon. */
    private Text name() throws SyntaxException {
        Text name = string();
        token(':');
        return name;
    }

    private void escape() throws SyntaxException {
        position++;
        switch (current()) {
            case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> position++;
            case 'u' -> {
                position++;
                for (int digits = 0; digits < 4; digits++) {
                    if (Character.digit(current(), 16) < 0) {
                        throw new SyntaxException();
                    }
                    position++;
                }
            }
            default -> throw new SyntaxException();
        }
    }

    private Text number() throws SyntaxException {
        int start = position;
        takeByte('-');
        if (!takeByte('0')) {
            digits();
        }
        boolean integer = true;
        if (takeByte('.')) {
            integer = false;
            digits();
        }
        if (takeByte('e') || takeByte('E')) {
            integer = false;
            if (!takeByte('-')) {
                takeByte('+');
            }
            digits();
        }
        return new Text(source, start, position, integer ? Text.Form.INTEGER : Text.Form.PLAIN);
    }

    private void digits() throws SyntaxException {
        int start = position;
        while (current() >= '0' && current() <= '9') {
            position++;
        }
        if (position == start) {
            throw new SyntaxException();
        }
    }

    private void word(byte[] word) throws SyntaxException {
        int end = position + word.length;
        if (end > source.length || !Arrays.equals(source, position, end, word, 0, word.length)) {
            throw new SyntaxException();
        }
        position = end;
    }

    private void token(int token) throws SyntaxException {
        if (!take(token)) {
            throw new SyntaxException();
        }
    }

    /** Reads the next token if it is this one. */
    private boolean take(int token) {
        peek();
        return takeByte(token);
    }

    private boolean takeByte(int expected) {
        if (current() != expected) {
            return false;
        }
        position++;
        return true;
    }

    /** The byte at the position, signed; 0 at the end of the text. */
    private int current() {
        return position < source.length ? source[position] : 0;
    }
}
