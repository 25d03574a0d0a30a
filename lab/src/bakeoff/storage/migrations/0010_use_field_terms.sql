-- Factors and findings have the field's terms for names. The same for files: results/former_names.py.
UPDATE findings SET kind = CASE kind
    WHEN 'agents-apart' THEN 'agents-not-synchronized'
    WHEN 'builds-beside' THEN 'concurrent-builds'
    WHEN 'clock-jumped' THEN 'clock-adjusted'
    WHEN 'costly-sampling' THEN 'sampling-overhead'
END
WHERE kind IN ('agents-apart', 'builds-beside', 'clock-jumped', 'costly-sampling');
UPDATE test_runs SET
    contender = regexp_replace(contender, ' sending=', ' transport_mode='),
    factors = CASE WHEN factors ? 'sending' THEN factors - 'sending' || jsonb_build_object('transport_mode', factors -> 'sending')
        ELSE factors END,
    settings = CASE WHEN settings ? 'sending' THEN settings - 'sending' || jsonb_build_object('transport_mode', settings -> 'sending')
        ELSE settings END
WHERE factors ? 'sending' OR settings ? 'sending' OR contender LIKE '% sending=%';
UPDATE comparisons SET
    request = regexp_replace(request::text, '"sending":', '"transport_mode":', 'g')::jsonb,
    not_measured = regexp_replace(not_measured::text, ' sending=', ' transport_mode=', 'g')::jsonb
WHERE request::text LIKE '%"sending":%' OR not_measured::text LIKE '% sending=%';
