package io.bakeoff.events.decoding;

import io.bakeoff.events.model.Decoded;
import io.bakeoff.events.model.Entity;
import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Key;
import io.bakeoff.events.model.Limits;
import io.bakeoff.events.model.Problem;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The contract's rules, in the contract's order, for both protocols. */
public final class Validation {
    private static final Path HEADER = new Path.Fixed("eventHeader");
    private static final Path UUID = new Path.Fixed("eventHeader.uuid");
    private static final Path EVENT_NAME = new Path.Fixed("eventHeader.eventName");
    private static final Path CREATED_DATE = new Path.Fixed("eventHeader.createdDate");
    private static final Path SAVED_DATE = new Path.Fixed("eventHeader.savedDate");
    private static final Path EVENT_TYPE = new Path.Fixed("eventHeader.eventType");
    private static final Path BODY = new Path.Fixed("eventBody");
    private static final Path ENTITIES = new Path.Fixed("eventBody.entities");

    /** A bit for each position of a UUID that holds a hyphen. */
    private static final long UUID_HYPHENS = 1L << 8 | 1L << 13 | 1L << 18 | 1L << 23;

    /** A bit for each character from {@code 0} to {@code f} that is a digit. */
    private static final long HEX_DIGITS = 0x3ffL | 0x3fL << 'A' - '0' | 0x3fL << 'a' - '0';

    private Validation() {}

    /** The valid event, or the first broken rule. */
    public static Decoded validate(EventDraft draft) {
        try {
            EventDraft.Header header = object(EventDraft.Header.class, draft.header, HEADER);
            EventDraft.Body body = object(EventDraft.Body.class, draft.body, BODY);
            validateHeader(header);
            return new Event(validateEntities(body.entities));
        } catch (ValidationException broken) {
            return Problem.invalid(broken.getMessage());
        }
    }

    private static void validateHeader(EventDraft.Header header) throws ValidationException {
        if (!isUuid(requiredText(header.uuid, UUID))) {
            throw broken(UUID, "must be a UUID");
        }
        atMost(100, requiredText(header.eventName, EVENT_NAME), EVENT_NAME);
        validateTimestamp(header.createdDate, CREATED_DATE);
        validateTimestamp(header.savedDate, SAVED_DATE);
        Text eventType = optionalText(header.eventType, EVENT_TYPE);
        if (eventType != null) {
            atMost(100, eventType, EVENT_TYPE);
        }
    }

    private static List<Entity> validateEntities(Field field) throws ValidationException {
        if (field == NoValue.WRONG_KIND) {
            throw broken(ENTITIES, "must be an array");
        }
        if (field == NoValue.DUPLICATE) {
            throw duplicate(ENTITIES);
        }
        if (!(field instanceof Entities entities) || entities.count() < 1 || entities.count() > Limits.ENTITIES) {
            throw broken(ENTITIES, "must hold 1 to 1000 entities");
        }
        List<Entity> valid = new ArrayList<>(entities.count());
        for (Field entity : entities.kept()) {
            valid.add(validateEntity(entity, valid.size()));
        }
        return valid;
    }

    private static Entity validateEntity(Field field, int index) throws ValidationException {
        if (!(field instanceof EventDraft.Entity entity)) {
            throw broken(new Path.OfEntity(index, ""), "must be an object");
        }
        Path typePath = new Path.OfEntity(index, ".entityType");
        Text type = requiredText(entity.entityType, typePath);
        atMost(100, type, typePath);
        Path idPath = new Path.OfEntity(index, ".entityId");
        Text id = requiredText(entity.entityId, idPath);
        atMost(255, id, idPath);
        Path attributesPath = new Path.OfEntity(index, ".updatedAttributes");
        Attributes attributes = object(Attributes.class, entity.updatedAttributes, attributesPath);
        if (attributes.unstorable() != null) {
            throw broken(attributesPath, attributes.unstorable().reason());
        }
        Key key = Key.of(type.source(), type.start(), type.end(), id.source(), id.start(), id.end());
        return new Entity(key, attributes.text());
    }

    private static <T extends Field> T object(Class<T> kind, Field field, Path path) throws ValidationException {
        if (kind.isInstance(field)) {
            return kind.cast(field);
        }
        if (field == NoValue.ABSENT || field == NoValue.NULL) {
            throw broken(path, "required");
        }
        throw field == NoValue.DUPLICATE ? duplicate(path) : broken(path, "must be an object");
    }

    private static Text requiredText(Field field, Path path) throws ValidationException {
        Text text = optionalText(field, path);
        if (text == null) {
            throw broken(path, "required");
        }
        return text;
    }

    /** Text without escape sequences; null when it is missing or empty, which are equivalent. */
    private static @Nullable Text optionalText(Field field, Path path) throws ValidationException {
        if (field == NoValue.ABSENT || field == NoValue.NULL) {
            return null;
        }
        if (field == NoValue.DUPLICATE) {
            throw duplicate(path);
        }
        if (!(field instanceof Text text) || text.form() == Text.Form.INTEGER) {
            throw broken(path, "must be a string");
        }
        Text plain = text.form() == Text.Form.ESCAPED ? unescaped(text, path) : text;
        if (plain.length() == 0) {
            return null;
        }
        for (int position = 0; position < plain.length(); position++) {
            if (plain.at(position) == 0) {
                throw broken(path, Unstorable.NUL.reason());
            }
        }
        return plain;
    }

    private static Text unescaped(Text text, Path path) throws ValidationException {
        Unstorable unstorable = Escapes.unstorable(text);
        if (unstorable != null) {
            throw broken(path, unstorable.reason());
        }
        return Escapes.unescape(text);
    }

    private static void validateTimestamp(Field field, Path path) throws ValidationException {
        boolean valid;
        if (field instanceof Text text && text.form() == Text.Form.INTEGER) {
            valid = Timestamps.isEpochMilliseconds(text);
        } else if (field == NoValue.WRONG_KIND) {
            valid = false;
        } else {
            Text text = optionalText(field, path);
            valid = text == null || Timestamps.isTimestamp(text);
        }
        if (!valid) {
            throw broken(path, "must be an RFC 3339 timestamp or epoch milliseconds");
        }
    }

    private static void atMost(int limit, Text text, Path path) throws ValidationException {
        // A text has at most as many characters as bytes, so counting is rarely needed.
        if (text.length() > limit && text.characters() > limit) {
            throw broken(path, "must have at most " + limit + " characters");
        }
    }

    /** 8-4-4-4-12 hexadecimal digits. */
    private static boolean isUuid(Text text) {
        if (text.length() != 36) {
            return false;
        }
        for (int position = 0; position < 36; position++) {
            byte character = text.at(position);
            boolean hyphen = (UUID_HYPHENS >>> position & 1) != 0;
            if (hyphen ? character != '-' : !isHexDigit(character)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isHexDigit(byte character) {
        return character >= '0' && character <= 'f' && (HEX_DIGITS >>> character - '0' & 1) != 0;
    }

    private static ValidationException duplicate(Path path) {
        return broken(path, "duplicate field");
    }

    private static ValidationException broken(Path path, String reason) {
        return new ValidationException(path + ": " + reason);
    }
}
