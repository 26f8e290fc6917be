-- What the tracks on Home are drawn from, found by time.

-- From when it was asked for until it ended. The clocks of machines differ: none may end before it begins.
create index executions_span on executions using gist (
  tstzrange(created_at, case when ended_at is null then null else greatest(created_at, ended_at) end, '[]')
);

-- A rule answers by the thousand; what people are asked is little.
create index approvals_of_people on approvals (execution_id, asked_at) where answered_by is distinct from 'policy';

-- One in hundreds of events.
create index events_of_calls on events (stream_id, at) where type = 'tool-input-available';
