-- Chat with models: its turns have a queue of their own, and the calls of one step are asked about in their order.

alter table executions drop constraint executions_queue_check;
alter table executions add constraint executions_queue_check check (queue in ('tool', 'coding', 'chat'));

-- Which of the calls of a model's step it is about: 2 of 5. Others are counted while they wait.
alter table approvals add column queue_position integer;
alter table approvals add column queue_total integer;

-- What people said, and where conversations begin afresh, branch, or come from: few among very many events.
create index events_of_people on events (stream_id, seq)
  where type in ('data-afresh', 'data-branch', 'data-forked', 'data-message');

-- What was said at length may be kept compressed once its turn is over: then the payload is null, and was so long before.
alter table events add column packed bytea;
alter table events alter column packed set storage external;
alter table events add column packed_from integer;
