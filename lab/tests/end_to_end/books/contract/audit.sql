SELECT ARRAY[id::text] AS key, jsonb_build_object('title', title, 'pages', pages) AS document
FROM books
ORDER BY id
