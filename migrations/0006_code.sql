-- Code that waits for a person, put away; what it called; and the questions that it asks.

-- What a run's memory is told as a difference to: wasm and memory of a sandbox that has not begun. Once for each.
create table code_images (
  hash text primary key,
  bytes bytea not null,
  created_at timestamptz not null default now()
);

-- Only runs that had to wait: others are done before anybody could ask for them again.
create table code_runs (
  id uuid primary key,
  -- Who runs it, as web knew them; and the person whose it is.
  principal json not null,
  created_by text not null,
  session_id uuid references sessions on delete cascade,
  execution_id uuid references executions on delete cascade,
  -- Who drives it, or did last.
  machine_id uuid not null references machines,
  epoch integer not null default 1,
  status text not null check (status in ('frozen', 'running', 'ended')),
  -- As it was asked for, and what was granted to it.
  wanted json not null,
  grants json not null,
  image_hash text references code_images,
  memory bytea,
  state json,
  -- The last call that the frozen memory knows of.
  last_call integer not null default 0,
  logs json not null default '[]',
  result json,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  ended_at timestamptz,
  check ((status = 'ended') = (ended_at is not null and result is not null))
);
create index code_runs_open on code_runs (machine_id, status) where status <> 'ended';
create index code_runs_of_execution on code_runs (execution_id) where execution_id is not null;
create index code_runs_ended on code_runs (ended_at) where ended_at is not null;

-- Written before a call is made and after it: one that was begun and has no outcome is not made again.
create table code_calls (
  run_id uuid not null references code_runs on delete cascade,
  call integer not null,
  kind text not null,
  name text not null,
  input json not null,
  status text not null check (status in ('waiting', 'begun', 'done', 'failed')),
  approval_id uuid,
  outcome json,
  -- Outcomes in the order in which the run was told of them: told again in another, it might go another way.
  place integer,
  begun_at timestamptz,
  ended_at timestamptz,
  primary key (run_id, call)
);

-- A person's own code asks too, in no session.
alter table approvals
  alter column session_id drop not null,
  alter column execution_id drop not null,
  add column code_run_id uuid references code_runs on delete cascade,
  add constraint approvals_of_somebody check (
    (session_id is null) = (execution_id is null) and (session_id is not null or code_run_id is not null));
create index approvals_of_code_run on approvals (code_run_id) where code_run_id is not null;

alter table audit
  drop constraint audit_kind_check,
  add constraint audit_kind_check check (kind in ('tool', 'egress', 'workspace', 'source', 'code'));
