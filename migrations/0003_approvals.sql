-- Agents that hold a session.
alter table agents
  add column preset text, -- which of the known coding agents it is
  add column mode text,
  add column max_tokens bigint,
  add column mcp_servers json not null default '[]';

alter table sessions
  add column model text, -- as wanted; the agent's own choice where null
  add column mode text,
  add column session_ref text, -- what the agent itself calls it
  add column facts json not null default '{}', -- what the agent last told of it
  add column parent_session_id uuid references sessions,
  add column adopted_at timestamptz, -- it was begun outside
  add column history_file text, -- the agent's own record of it, and how far that is in the log
  add column history_mark text,
  add column taken_over_at timestamptz, -- a person has it, in the agent's own interface
  add column taken_over_by text,
  add column tmux_session text,
  add column trashed_at timestamptz;
create index sessions_of_ref on sessions (agent_id, session_ref) where session_ref is not null;

alter table executions
  add column files json not null default '[]',
  add column fork boolean not null default false,
  add column stalled_since timestamptz,
  add column waiting_approvals integer not null default 0;

-- Every question that waits for a person, and how it was answered.
create table approvals (
  id uuid primary key, -- made from execution and request: asked twice, it is the same
  session_id uuid not null references sessions,
  execution_id uuid not null references executions,
  request_id text not null, -- as the agent calls it
  kind text not null check (kind in ('tool', 'question', 'plan', 'danger')),
  tool text not null,
  title text not null,
  input json not null,
  input_hash text not null,
  subject text, -- what rules are matched against: the command, the path
  subjects text[], -- all of them, where it is about several; `subject` is the first
  read_only boolean not null,
  danger integer not null check (danger between 0 and 3),
  tool_call_id text,
  options json not null,
  questions json,
  schema json,
  status text not null default 'waiting' check (status in ('waiting', 'granted', 'refused', 'expired')),
  place bigint not null generated always as identity,
  asked_at timestamptz not null default now(),
  expires_at timestamptz not null,
  answered_at timestamptz,
  answered_by text, -- a person's id, or `policy`
  reason text,
  content json,
  unique (execution_id, request_id),
  check ((answered_at is null) = (status = 'waiting'))
);
create index approvals_waiting on approvals (expires_at) where status = 'waiting';
create index approvals_of_session on approvals (session_id, place);

-- What is answered without a person: "always allow this".
create table policy_rules (
  id uuid primary key,
  agent_id uuid references agents on delete cascade, -- null for every agent
  tool text not null, -- a glob
  argument text, -- a glob; null for every argument
  effect text not null check (effect in ('allow', 'deny', 'ask')),
  approval_id uuid references approvals on delete set null, -- from which it was remembered
  created_by text not null,
  created_at timestamptz not null default now()
);
create unique index policy_rules_once on policy_rules (agent_id, tool, argument) nulls not distinct;
