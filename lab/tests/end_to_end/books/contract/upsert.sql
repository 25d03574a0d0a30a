INSERT INTO books (id, title, pages) OVERRIDING SYSTEM VALUE
SELECT t.id::bigint, t.document::jsonb ->> 'title', (t.document::jsonb ->> 'pages')::integer
FROM unnest($1::text[], $2::text[]) AS t (id, document)
