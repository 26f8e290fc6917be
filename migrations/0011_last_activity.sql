-- When anything was last said in a stream. It moves with the counter beside it, in the same row, and is in no index: an index would make
-- every append write two pages instead of one.

alter table streams add column last_at timestamptz not null default now();

update streams set last_at = coalesce(
  (select at from events where stream_id = streams.id order by seq desc limit 1),
  (select created_at from sessions where sessions.id = streams.id),
  last_at
);
