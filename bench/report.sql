-- The results as Markdown, from the tables of framework.sql.
\pset format unaligned
\pset tuples_only on

-- Print three or four digits, and counts without a fraction.
CREATE FUNCTION digits(v float8) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT to_char(v, CASE WHEN abs(v) >= 100 OR v = floor(v) THEN 'FM999,999,999,990' WHEN abs(v) >= 10 THEN 'FM990.0' ELSE 'FM990.000' END)
$$;

SELECT E'## Targets\n\n| work | | ratio | quartiles | target | |\n|---|---|---|---|---|---|';
SELECT format('| %s: %s | %s / %s | %s | %s to %s | %s %s | %s |', subject, metric, split_part(a, ': ', 1), split_part(b, ': ', 1),
              round(median, 3), round(lower, 3), round(upper, 3), relation, bound,
              CASE WHEN (relation = '<=') = (round(median, 2) < bound) OR round(median, 2) = bound THEN 'met'
                   WHEN (relation = '<=') = (CASE relation WHEN '<=' THEN lower ELSE upper END < bound) THEN 'within the spread'
                   ELSE '**not met**' END)
FROM ratio ORDER BY n;

-- Runs of concurrent clients that kept their ids.
SELECT E'\n## Ids of concurrent clients, all of them counted\n\n'
       '| | sessions | | ids | of them repeated | ahead of the clock at the end | distinct ids a second | the layout holds |\n'
       '|---|--:|---|--:|--:|--:|--:|--:|'
WHERE EXISTS (SELECT FROM kept_run);
SELECT format('| %s | %s | %s | %s | %s | %s | %s | %s |', subject, clients, name, digits(ids),
              CASE repeated WHEN 0 THEN '0' ELSE '**' || digits(repeated) || '**' END, digits(ahead), digits(rate), digits(capacity))
FROM kept_run ORDER BY n;

-- One table for each subject and metric
SELECT CASE WHEN row_number() OVER (PARTITION BY subject, metric ORDER BY first) = 1
            THEN format(E'\n## %s: %s\n\n| | median | lower quartile | upper quartile |\n|---|--:|--:|--:|\n', subject, metric) ELSE '' END
       || format('| %s | %s | %s | %s |', name, digits(median), digits(lower), digits(upper))
FROM (SELECT subject, metric, name, min(n) AS first, min(min(n)) OVER (PARTITION BY subject, metric) AS section,
             percentile_cont(0.25) WITHIN GROUP (ORDER BY value) AS lower, percentile_cont(0.5) WITHIN GROUP (ORDER BY value) AS median,
             percentile_cont(0.75) WITHIN GROUP (ORDER BY value) AS upper
      FROM figure WHERE subject <> 'one shard' GROUP BY subject, metric, name) AS s
ORDER BY section, first;
