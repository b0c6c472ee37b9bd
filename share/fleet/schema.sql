-- Rows of `heft rows` on every server of the cluster "fleet": of -d sections in heft.sections, and of
-- -d sections,rawsymbols in heft.rows, of which two views keep what questions ask often.
-- A worker that is broken off sends what it had not noted as taken once more: rows of the same key are one row after
-- OPTIMIZE TABLE ... FINAL.  All rows of a program are on one server.
CREATE DATABASE IF NOT EXISTS heft;

CREATE TABLE IF NOT EXISTS heft.sections_local (
    package String,
    release String,
    program String,
    build_id String,
    labels Array(String),
    file UInt64,
    vm UInt64
) ENGINE = ReplacingMergeTree PARTITION BY release ORDER BY (package, program, build_id, labels);

CREATE TABLE IF NOT EXISTS heft.rows_local (
    package String,
    release String,
    program String,
    build_id String,
    labels Array(String),
    file UInt64,
    vm UInt64
) ENGINE = ReplacingMergeTree PARTITION BY release ORDER BY (package, program, build_id, labels);

-- Functions of 1 KiB and more that have a name.
CREATE MATERIALIZED VIEW IF NOT EXISTS heft.functions_local
ENGINE = ReplacingMergeTree PARTITION BY release ORDER BY (symbol, file, package, program, build_id)
AS SELECT labels[2] AS symbol, file, package, release, program, build_id
FROM heft.rows_local
WHERE labels[1] = '.text' AND file >= 1024 AND substring(labels[2], 1, 1) != '[' AND substring(labels[2], 1, 4) != 'sub_';

-- Type information, its names and virtual tables.
CREATE MATERIALIZED VIEW IF NOT EXISTS heft.types_local
ENGINE = ReplacingMergeTree PARTITION BY release ORDER BY (package, program, build_id, symbol)
AS SELECT labels[2] AS symbol, file, package, release, program, build_id
FROM heft.rows_local
WHERE substring(labels[2], 1, 3) = '_ZT';

CREATE TABLE IF NOT EXISTS heft.sections AS heft.sections_local
ENGINE = Distributed(fleet, heft, sections_local, cityHash64(package, program));
CREATE TABLE IF NOT EXISTS heft.rows AS heft.rows_local
ENGINE = Distributed(fleet, heft, rows_local, cityHash64(package, program));
CREATE TABLE IF NOT EXISTS heft.functions AS heft.functions_local
ENGINE = Distributed(fleet, heft, functions_local);
CREATE TABLE IF NOT EXISTS heft.types AS heft.types_local
ENGINE = Distributed(fleet, heft, types_local);
