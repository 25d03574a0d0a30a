-- Targets have a class, prove a profile of their contract, and their durability is known. Every run of before measured
-- what is called tuned today, under names that now belong to other programs: these get the names that they have now.
ALTER TABLE test_runs ADD COLUMN target_class text NOT NULL DEFAULT 'standard';
ALTER TABLE test_runs ADD COLUMN contract_profile text NOT NULL DEFAULT '';
ALTER TABLE test_runs ADD COLUMN durability text NOT NULL DEFAULT 'unknown';
UPDATE test_runs SET
    target_class = 'tuned',
    target = target || '-tuned',
    contender = regexp_replace(contender, '^(producer-api-(rust|go|java)-(rest|grpc))', '\1-tuned')
WHERE target ~ '^producer-api-(rust|go|java)-(rest|grpc)$';
UPDATE comparisons SET
    request = regexp_replace(
        request::text, '"(producer-api-(rust|go|java)-(rest|grpc))(?=[" ])', '"\1-tuned', 'g'
    )::jsonb,
    not_measured = regexp_replace(
        not_measured::text, '"(producer-api-(rust|go|java)-(rest|grpc))(?=[" :])', '"\1-tuned', 'g'
    )::jsonb;
