-- The whole stored state, one row for each entity: its key and its document.
SELECT ARRAY[entity_type, id] AS key, data AS document
FROM car_entities
ORDER BY entity_type, id
