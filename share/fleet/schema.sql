-- Rows of `heft rows -d sections,rawsymbols --tag package=... --tag release=...` on every server of the cluster "fleet".
-- A worker that is broken off sends what it had not noted as taken once more: rows of the same key are one row after
-- OPTIMIZE TABLE heft.rows_local FINAL.  All rows of a program are on one server.
CREATE DATABASE IF NOT EXISTS heft;

CREATE TABLE IF NOT EXISTS heft.rows_local (
    package String,
    release String,
    program String,
    build_id String,
    labels Array(String),
    file UInt64,
    vm UInt64
) ENGINE = ReplacingMergeTree PARTITION BY release ORDER BY (package, program, build_id, labels);

CREATE TABLE IF NOT EXISTS heft.rows AS heft.rows_local
ENGINE = Distributed(fleet, heft, rows_local, cityHash64(package, program));
