-- Up to which id each node has settled: on the publishers and on subscribers.
CREATE TABLE feed_bound (
    node int PRIMARY KEY,
    upto bigint NOT NULL
);
