package io.bakeoff.events.json;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Jackson as the reference for the custom parser. */
final class Jackson {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(Integer.MAX_VALUE)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .build())
            .build();
    private static final Pattern ESCAPES = Pattern.compile("\\\\(?:u.{4}|.)", Pattern.DOTALL);
    private static final JsonMapper MAPPER = new JsonMapper(FACTORY);

    private Jackson() {}

    /** Whether the text is one JSON value. */
    static boolean reads(String text) {
        try (JsonParser parser = parser(text)) {
            int depth = 0;
            int values = 0;
            while (parser.nextToken() != null) {
                values += depth == 0 && !parser.currentToken().isStructEnd() ? 1 : 0;
                depth += parser.currentToken().isStructStart()
                        ? 1
                        : parser.currentToken().isStructEnd() ? -1 : 0;
                // Jackson decodes a token only on request.
                parser.getString();
            }
            return values == 1 && ESCAPES.matcher(text).results().noneMatch(Jackson::isBeyondAscii);
        } catch (JacksonException notJson) {
            return false;
        }
    }

    /** The texts of the elements of an array; empty for any other value. */
    static List<String> elements(String json) {
        List<String> elements = new ArrayList<>();
        try (JsonParser parser = parser(json)) {
            if (parser.nextToken() != JsonToken.START_ARRAY) {
                return elements;
            }
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                long start = parser.currentTokenLocation().getCharOffset();
                parser.skipChildren();
                parser.getString();
                elements.add(json.substring(
                        (int) start, (int) parser.currentLocation().getCharOffset()));
            }
        }
        return elements;
    }

    /** The value; the last of duplicate names wins. */
    static JsonNode tree(String json) {
        return MAPPER.readTree(json);
    }

    /** Jackson treats the low byte of some characters beyond ASCII as a hexadecimal digit. */
    private static boolean isBeyondAscii(MatchResult escape) {
        return escape.group().chars().anyMatch(unit -> unit > 127);
    }

    /** Not from bytes, whose encoding Jackson would detect. */
    private static JsonParser parser(String text) {
        return FACTORY.createParser(ObjectReadContext.empty(), text);
    }
}
