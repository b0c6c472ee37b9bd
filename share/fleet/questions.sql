-- Ready-made questions.  A question ends at a semicolon; its name is in the comment above it.

-- duplicated-code: functions of one name and size, 1 KiB and more, that several packages have a copy of
SELECT symbol, file AS bytes, uniqExact(package) AS packages, count() AS copies, file * (count() - 1) AS wasted
FROM heft.functions
GROUP BY symbol, file
HAVING packages > 1
ORDER BY wasted DESC, symbol LIMIT 20;

-- largest-growth: packages that grew most from the release that comes first by name to the last
WITH (SELECT min(release) FROM heft.sections) AS first, (SELECT max(release) FROM heft.sections) AS last
SELECT package, sumIf(file, release = first) AS before, sumIf(file, release = last) AS after,
       toInt64(after) - toInt64(before) AS growth
FROM heft.sections
GROUP BY package
HAVING before > 0 AND after > 0
ORDER BY growth DESC, package LIMIT 20;

-- static-linking: programs that load no library, and what they take
SELECT release, count() AS programs, sum(size) AS bytes, max(size) AS largest
FROM (
    SELECT release, program, build_id, sum(file) AS size
    FROM heft.sections GROUP BY release, program, build_id
    HAVING countIf(labels[1] = '.dynamic') = 0 AND countIf(labels[1] = '.text') > 0
       AND countIf(labels[1] = '[ELF Program Headers]') > 0)
GROUP BY release ORDER BY release;

-- rela: packages whose relocations would fit into RELR, by bytes that they take now
SELECT package, count() AS programs, sum(size) AS rela
FROM (
    SELECT package, program, build_id, sumIf(file, labels[1] = '.rela.dyn') AS size
    FROM heft.sections GROUP BY package, program, build_id
    HAVING size > 0 AND countIf(labels[1] = '.relr.dyn') = 0)
GROUP BY package ORDER BY rela DESC, package LIMIT 20;

-- rtti: what type information and its names take, by package; of files that have symbols
SELECT package, countIf(symbol LIKE '\_ZTI%') AS types, sumIf(file, symbol LIKE '\_ZTI%') AS infos,
       sumIf(file, symbol LIKE '\_ZTS%') AS names
FROM heft.types
GROUP BY package HAVING types > 0
ORDER BY infos + names DESC, package LIMIT 20;

-- two-hash-tables: programs with .hash beside .gnu.hash
SELECT package, count() AS programs, sum(size) AS bytes
FROM (
    SELECT package, program, build_id, sumIf(file, labels[1] = '.hash') AS size
    FROM heft.sections GROUP BY package, program, build_id
    HAVING size > 0 AND countIf(labels[1] = '.gnu.hash') > 0)
GROUP BY package ORDER BY bytes DESC, package LIMIT 20;
