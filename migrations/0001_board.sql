-- Streams and events: one append-only log for everything that happens.
create table streams (
  id uuid primary key,
  last_seq bigint not null default 0
) with (fillfactor = 50);

create table events (
  stream_id uuid not null,
  seq bigint not null,
  execution_id uuid,
  task_id uuid,
  type text not null,
  payload json not null, -- not jsonb, which refuses \u0000 and lone surrogates
  at timestamptz not null default clock_timestamp(),
  primary key (stream_id, seq)
);
create index events_of_task on events (task_id, seq) where task_id is not null;

insert into streams (id) values ('00000000-0000-7000-8000-000000000001'); -- the board

create table agents (
  id uuid primary key,
  name text not null unique,
  kind text not null check (kind in ('tool', 'coding', 'model')),
  active boolean not null default true,
  created_at timestamptz not null default now()
);

-- An enum sorts in the order it is declared in: the index below is the board, column by column.
create type task_status as enum ('todo', 'in_progress', 'blocked', 'done', 'cancelled');

create table tasks (
  id uuid primary key,
  title text not null,
  description text not null,
  searchable text not null generated always as (lower(title || E'\n' || description)) stored,
  status task_status not null,
  priority text not null check (priority in ('low', 'medium', 'high', 'critical')),
  parent_task_id uuid references tasks on delete cascade,
  assignee_agent_id uuid references agents on delete set null,
  workspace_id uuid,
  position text collate "C" not null,
  depth integer not null check (depth between 0 and 3),
  created_by text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint tasks_place unique (status, position) deferrable
);
create index tasks_parent on tasks (parent_task_id) where parent_task_id is not null;
create index tasks_assignee on tasks (assignee_agent_id) where assignee_agent_id is not null;

create table task_dependencies (
  task_id uuid not null references tasks on delete cascade,
  depends_on_task_id uuid not null references tasks on delete cascade,
  created_at timestamptz not null default now(),
  primary key (task_id, depends_on_task_id),
  check (task_id <> depends_on_task_id)
);
create index task_dependencies_reverse on task_dependencies (depends_on_task_id);

-- Who may do what. Only hashes of secrets are kept.
create table users (
  id uuid primary key,
  name text not null unique,
  scopes text[] not null,
  created_at timestamptz not null default now()
);

create table tokens (
  id uuid primary key,
  hash bytea not null unique,
  kind text not null check (kind in ('owner', 'user', 'session')),
  user_id uuid references users on delete cascade,
  home_id text, -- an owner's token belongs to the home whose file holds it
  parent_id uuid references tokens on delete cascade, -- a session key dies with the token it was traded for
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  check ((kind = 'owner') = (home_id is not null)),
  check ((kind = 'session') = (parent_id is not null))
);
create unique index tokens_owner on tokens (home_id) where kind = 'owner';

create table tickets (
  hash bytea primary key,
  principal json not null,
  expires_at timestamptz not null
);

create table settings (
  key text primary key,
  value json not null,
  updated_by text not null,
  updated_at timestamptz not null default now()
);
