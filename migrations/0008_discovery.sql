-- The programs that were found on each machine, and how the last look for them went.
create table discovered (
  id uuid primary key,
  machine_id uuid not null references machines,
  path text not null,
  name text not null,
  real_path text not null,
  package text,
  package_source text not null,
  version text, -- as its package says
  told_version text, -- as it says itself
  description text,
  class text not null check (class in ('tool', 'daemon', 'agent', 'tui', 'builtin')),
  confidence double precision not null,
  preset text,
  danger integer not null check (danger between 0 and 3),
  uses integer not null,
  aliases text[] not null,
  -- What it can be asked for. It stays when the program has changed: described_at is null then.
  schema json,
  schema_source text,
  schema_trouble text,
  subcommands text[] not null default '{}',
  options text[] not null default '{}',
  described_at timestamptz,
  -- What somebody said about it. Nothing that is found touches these.
  is_hidden boolean not null default false,
  agent_id uuid references agents on delete set null,
  gone_at timestamptz,
  seen_at timestamptz not null default now(),
  unique (machine_id, path)
);
create unique index discovered_of_agent on discovered (agent_id) where agent_id is not null;

create table scans (
  machine_id uuid primary key references machines,
  progress json not null,
  updated_at timestamptz not null default now()
);

insert into streams (id) values ('00000000-0000-7000-8000-000000000002'); -- how scans go

-- Since when the program of an agent is not there any more, as far as its machine has looked.
alter table agents add column missing_since timestamptz;
