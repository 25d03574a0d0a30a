UPDATE findings SET kind = CASE kind
    WHEN 'agents-not-synchronized' THEN 'agents-apart'
    WHEN 'concurrent-builds' THEN 'builds-beside'
    WHEN 'clock-adjusted' THEN 'clock-jumped'
    WHEN 'sampling-overhead' THEN 'costly-sampling'
END
WHERE kind IN ('agents-not-synchronized', 'concurrent-builds', 'clock-adjusted', 'sampling-overhead');
UPDATE test_runs SET
    contender = regexp_replace(contender, ' transport_mode=', ' sending='),
    factors = CASE WHEN factors ? 'transport_mode' THEN factors - 'transport_mode' || jsonb_build_object('sending', factors -> 'transport_mode')
        ELSE factors END,
    settings = CASE WHEN settings ? 'transport_mode' THEN settings - 'transport_mode' || jsonb_build_object('sending', settings -> 'transport_mode')
        ELSE settings END
WHERE factors ? 'transport_mode' OR settings ? 'transport_mode' OR contender LIKE '% transport_mode=%';
UPDATE comparisons SET
    request = regexp_replace(request::text, '"transport_mode":', '"sending":', 'g')::jsonb,
    not_measured = regexp_replace(not_measured::text, ' transport_mode=', ' sending=', 'g')::jsonb
WHERE request::text LIKE '%"transport_mode":%' OR not_measured::text LIKE '% transport_mode=%';
