-- One row for each SIGNALBOX_HOME that ever had a worker.
create table machines (
  id uuid primary key,
  name text not null,
  worker_id text not null,
  url text not null, -- of its worker's internal API
  report json, -- what the worker last said of itself
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  stopped_at timestamptz
);

-- What the internal API's tokens are signed with.
create table signing_keys (
  name text primary key,
  secret bytea not null,
  created_at timestamptz not null default now()
);

alter table agents
  add column builtin boolean not null default false,
  add column machine_id uuid references machines,
  add column binary_path text,
  add column adapter text not null default 'template'
    check (adapter in ('template', 'claude', 'codex', 'acp', 'terminal', 'chat')),
  add column args text[] not null default '{}',
  add column env_allowlist text[] not null default '{}',
  add column working_dir text,
  add column model text,
  add column permission_policy text not null default 'ask'
    check (permission_policy in ('ask', 'reads', 'all', 'deny')),
  add column max_concurrent integer,
  add column max_budget_usd double precision not null default 5,
  add column max_turns integer not null default 50,
  add column memory_mb integer not null default 2048,
  add column allowed_tools text[] not null default '{}';

create table capabilities (
  id uuid primary key,
  agent_id uuid not null references agents on delete cascade,
  key text not null,
  label text not null,
  interaction_mode text not null check (interaction_mode in ('template', 'prompt')),
  command_tokens text[],
  prompt_template text,
  args_schema json not null,
  danger_level integer not null check (danger_level between 0 and 3),
  annotations json not null,
  timeout_sec integer not null,
  max_output_bytes bigint not null,
  created_at timestamptz not null default now(),
  unique (agent_id, key),
  check (interaction_mode <> 'template' or command_tokens is not null)
);

create table workspaces (
  id uuid primary key,
  machine_id uuid not null references machines,
  driver text not null check (driver in ('folder', 'sandbox', 'docker')),
  root text not null,
  parent_id uuid references workspaces,
  created_at timestamptz not null default now()
);
create unique index workspaces_folder on workspaces (machine_id, root) where driver = 'folder' and parent_id is null;

alter table tasks add foreign key (workspace_id) references workspaces;

create table sessions (
  id uuid primary key references streams,
  title text not null,
  agent_id uuid references agents on delete set null,
  workspace_id uuid references workspaces,
  task_id uuid references tasks on delete set null,
  created_by text not null,
  created_at timestamptz not null default now()
);
create index sessions_of_creator on sessions (created_by, id desc);
create index sessions_of_task on sessions (task_id) where task_id is not null;

create table executions (
  id uuid primary key,
  session_id uuid not null references sessions,
  task_id uuid references tasks on delete set null,
  agent_id uuid references agents on delete set null,
  agent_name text not null,
  capability_id uuid references capabilities on delete set null,
  capability_key text not null,
  machine_id uuid not null references machines,
  workspace_id uuid references workspaces,
  queue text not null check (queue in ('tool', 'coding')),
  priority integer not null,
  status text not null
    check (status in ('queued', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled', 'timed_out')),
  args json not null,
  prompt text,
  parent_execution_id uuid references executions,
  depth integer not null default 0,
  created_by text not null,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  -- The lease: who drives. Every write of a driver names the epoch it was given.
  worker_id text,
  lease_epoch bigint not null default 0,
  keeper_id uuid,
  -- How far the keeper's spool is in the log: the last record, and where it ends in the file.
  copied_to bigint not null default 0,
  copied_bytes bigint not null default 0,
  -- Where its events begin and end in the session's stream.
  first_seq bigint not null default 0,
  last_seq bigint,
  pid integer,
  exit_code integer,
  signal text,
  error text,
  session_ref text,
  tmux_session text,
  log_bytes bigint not null default 0,
  log_lines bigint not null default 0,
  usage json,
  cost_usd double precision,
  unreachable_since timestamptz,
  output_removed_at timestamptz,
  check ((ended_at is not null) = (status in ('succeeded', 'failed', 'cancelled', 'timed_out')))
);
create unique index executions_one_live on executions (session_id) where ended_at is null;
create index executions_of_session on executions (session_id, id);
create index executions_of_task on executions (task_id, id) where task_id is not null;
create index executions_of_agent on executions (agent_id, id) where agent_id is not null;
create index executions_live on executions (machine_id, id) where ended_at is null;
create index executions_ended on executions (ended_at) where ended_at is not null and output_removed_at is null;

-- Everything told to an agent, in order, once.
create table commands (
  id uuid primary key,
  execution_id uuid not null references executions on delete cascade,
  position bigint not null generated always as identity,
  type text not null check (type in ('message', 'answer', 'interrupt', 'cancel', 'mode')),
  payload json not null,
  created_by text not null,
  created_at timestamptz not null default now(),
  delivered_at timestamptz,
  outcome text
);
create index commands_waiting on commands (execution_id, position) where delivered_at is null;

-- How much a reader takes into memory: payloads are stored compressed, so their size on disk does not tell.
alter table events add column size integer not null generated always as (octet_length(payload::text)) stored;
