-- What a gate measures are reruns of what failed: of some targets only, so that nothing else is held against them.
-- Its command says so, in the files too that comparisons are made from again.
ALTER TABLE comparisons
    ADD COLUMN confirmation boolean GENERATED ALWAYS AS (command LIKE './bakeoff gate%') STORED;

-- Of what was not measured, that which could have been: it did not build, conform, or survive its smoke test.
ALTER TABLE comparisons ADD COLUMN refused text[] NOT NULL DEFAULT '{}';
