SELECT ARRAY[id] AS key, data AS document FROM notes
