package io.bakeoff.events.grpc;

import com.google.protobuf.Value;
import java.math.BigDecimal;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Converts protobuf's JSON values to Jackson's. */
final class JsonValues {
    /** Up to here every integer has an exact double. */
    private static final double EXACT = 1L << 53;

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private JsonValues() {}

    /**
     * The object with these members.
     *
     * @param path of the object, for messages
     * @throws ValueException when a value is no JSON
     */
    static ObjectNode object(Map<String, Value> members, String path) {
        ObjectNode object = NODES.objectNode();
        members.forEach((name, value) -> object.set(name, node(value, path)));
        return object;
    }

    private static JsonNode node(Value value, String path) {
        return switch (value.getKindCase()) {
            case NULL_VALUE -> NODES.nullNode();
            case BOOL_VALUE -> NODES.booleanNode(value.getBoolValue());
            case NUMBER_VALUE -> number(value.getNumberValue(), path);
            case STRING_VALUE -> NODES.stringNode(value.getStringValue());
            case STRUCT_VALUE -> object(value.getStructValue().getFieldsMap(), path);
            case LIST_VALUE -> {
                ArrayNode array = NODES.arrayNode();
                value.getListValue().getValuesList().forEach(element -> array.add(node(element, path)));
                yield array;
            }
            case KIND_NOT_SET -> throw new ValueException(path + ": contains a value without a kind");
        };
    }

    /** Integers without a fraction, as JSON clients write them; other numbers with the shortest decimal. */
    private static JsonNode number(double number, String path) {
        if (!Double.isFinite(number)) {
            throw new ValueException(path + ": contains a number outside the double range");
        }
        if (number == Math.rint(number) && Math.abs(number) <= EXACT) {
            return NODES.numberNode((long) number);
        }
        return NODES.numberNode(new BigDecimal(Double.toString(number)).stripTrailingZeros());
    }
}
