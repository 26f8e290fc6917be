-- Chat with models: its turns have a queue of their own, and the calls of one step are asked about in their order.

alter table executions drop constraint executions_queue_check;
alter table executions add constraint executions_queue_check check (queue in ('tool', 'coding', 'chat'));

-- Which of the calls of a model's step it is about: 2 of 5. Others are counted while they wait.
alter table approvals add column queue_position integer;
alter table approvals add column queue_total integer;
