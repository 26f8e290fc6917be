-- Where tools come from, what was accepted of them, who let us in upstream; and the tokens of agents.
create table sources (
  id uuid primary key,
  name text not null unique,
  machine_id uuid not null references machines,
  origin text not null check (origin in ('api', 'yaml', 'file', 'import')),
  -- Everything but secrets. Those are in `secrets`, encrypted with a key that lies on the machine.
  config json not null,
  secrets bytea,
  created_by text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index sources_of_machine on sources (machine_id);

create table tool_pins (
  source_id uuid not null references sources on delete cascade,
  tool text not null,
  hash text not null,
  definition json not null,
  accepted_at timestamptz not null default now(),
  accepted_by text not null,
  primary key (source_id, tool)
);

-- What an upstream gave us for one person. `secrets` has tokens and client, encrypted like the others.
create table source_grants (
  source_id uuid not null references sources on delete cascade,
  principal_id text not null,
  secrets bytea not null,
  expires_at timestamptz,
  updated_at timestamptz not null default now(),
  primary key (source_id, principal_id)
);

-- Somebody is on the way to an upstream, to let us in. Known by the hash of what comes back with them.
create table source_authorizations (
  state_hash bytea primary key,
  source_id uuid not null references sources on delete cascade,
  principal_id text not null,
  secrets bytea not null,
  expires_at timestamptz not null
);

-- Where each web can be reached: agents are told.
create table webs (
  home_id text primary key,
  url text not null,
  started_at timestamptz not null default now()
);

-- An agent's token belongs to its process: it was made for the execution that started it, and opens what is live in its session.
alter table tokens
  add column session_id uuid references sessions on delete cascade,
  add column execution_id uuid references executions on delete cascade,
  drop constraint tokens_kind_check,
  add constraint tokens_kind_check check (kind in ('owner', 'user', 'session', 'agent')),
  add constraint tokens_agent_check check ((kind = 'agent') = (session_id is not null and execution_id is not null));
create index tokens_of_session on tokens (session_id) where session_id is not null;

-- Agents that start one another are counted from the top down.
create index executions_of_parent on executions (parent_execution_id) where parent_execution_id is not null;

alter table audit
  drop constraint audit_kind_check,
  add constraint audit_kind_check check (kind in ('tool', 'egress', 'workspace', 'source'));

-- The time-out of a turn stands still while a person is asked on its behalf.
alter table commands
  drop constraint commands_type_check,
  add constraint commands_type_check
    check (type in ('message', 'answer', 'interrupt', 'cancel', 'mode', 'hold', 'go_on'));

-- Who asked: the agent by its protocol, or the registry about a tool of ours. The latter hears the answer by itself.
alter table approvals
  add column asked_by text not null default 'agent' check (asked_by in ('agent', 'registry')),
  -- A yes counts once.
  add column used_at timestamptz;
