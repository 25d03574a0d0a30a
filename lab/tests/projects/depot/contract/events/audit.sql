SELECT ARRAY[kind, key] AS key, data AS document FROM stored ORDER BY kind, key
