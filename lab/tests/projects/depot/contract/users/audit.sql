SELECT ARRAY[id] AS key, jsonb_build_object('id', id, 'name', name, 'email', email) AS document FROM users ORDER BY id
