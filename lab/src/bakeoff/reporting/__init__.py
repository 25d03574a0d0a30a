"""From a judgement to pages, tables and pictures: one document of data that every format is made from."""
