-- Workspaces that are made, prepared, trashed and watched; and what was done in them.
alter table workspaces
  add column name text,
  add column session_id uuid references sessions,
  add column source json,
  add column image text,
  add column egress json not null default '"model"',
  add column ports int[] not null default '{}',
  add column setup text,
  add column teardown text,
  add column app json,
  add column worktrees boolean not null default true,
  add column logins text[] not null default '{}',
  add column branch text,
  add column base_ref text,
  add column state text not null default 'ready' check (state in ('new', 'preparing', 'ready', 'failed', 'trashed')),
  add column error text,
  add column created_by text not null default 'owner',
  add column used_at timestamptz,
  add column trashed_at timestamptz,
  add column snapshot text,
  -- Its row stays for those that name it; of its files nothing is left.
  add column forgotten_at timestamptz,
  add column disk_bytes bigint,
  add column disk_measured_at timestamptz;
update workspaces set name = root;
alter table workspaces alter column name set not null;
create index workspaces_parent on workspaces (parent_id) where parent_id is not null;
create unique index workspaces_session on workspaces (session_id) where session_id is not null;

create table audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  kind text not null check (kind in ('tool', 'egress', 'workspace')),
  actor text not null,
  workspace_id uuid,
  session_id uuid,
  subject text not null,
  outcome text not null check (outcome in ('ok', 'refused', 'failed')),
  detail json not null default '{}',
  duration_ms double precision,
  -- What a keeper noted is copied once, however often it is tried.
  keeper_id uuid,
  keeper_offset bigint
);
create unique index audit_of_keeper on audit (keeper_id, keeper_offset) where keeper_id is not null;
create index audit_of_session on audit (session_id, id) where session_id is not null;
create index audit_of_workspace on audit (workspace_id, id) where workspace_id is not null;

-- What opens the preview of a workspace's app, and nothing else: a ticket opens once and becomes a key, which is a cookie.
create table previews (
  hash bytea primary key,
  kind text not null check (kind in ('ticket', 'key')),
  workspace_id uuid not null references workspaces on delete cascade,
  port int, -- null: the app's, whichever that is
  token_id uuid references tokens on delete cascade, -- it dies with what it was asked for with; null for a JWT
  principal json not null,
  until timestamptz, -- of a JWT: nothing that comes of it lives longer
  expires_at timestamptz not null
);
create index previews_of_token on previews (token_id) where token_id is not null;
create index previews_of_workspace on previews (workspace_id);
