-- Something can be about several files at once; `subject` is the first of them.
alter table approvals add column subjects text[];
