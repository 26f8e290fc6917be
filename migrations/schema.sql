-- What the migrations make, for reading. A test compares it; UPDATE=1 npm run check writes it anew.

create table agents (
  id uuid not null,
  name text not null,
  kind text not null,
  active boolean not null default true,
  created_at timestamp with time zone not null default now(),
  builtin boolean not null default false,
  machine_id uuid,
  binary_path text,
  adapter text not null default 'template'::text,
  args text[] not null default '{}'::text[],
  env_allowlist text[] not null default '{}'::text[],
  working_dir text,
  model text,
  permission_policy text not null default 'ask'::text,
  max_concurrent integer,
  max_budget_usd double precision not null default 5,
  max_turns integer not null default 50,
  memory_mb integer not null default 2048,
  allowed_tools text[] not null default '{}'::text[],
  preset text,
  mode text,
  max_tokens bigint,
  mcp_servers json not null default '[]'::json,
  missing_since timestamp with time zone,
  constraint agents_adapter_check CHECK ((adapter = ANY (ARRAY['template'::text, 'claude'::text, 'codex'::text, 'acp'::text, 'terminal'::text, 'chat'::text]))),
  constraint agents_kind_check CHECK ((kind = ANY (ARRAY['tool'::text, 'coding'::text, 'model'::text]))),
  constraint agents_machine_id_fkey FOREIGN KEY (machine_id) REFERENCES machines(id),
  constraint agents_name_key UNIQUE (name),
  constraint agents_permission_policy_check CHECK ((permission_policy = ANY (ARRAY['ask'::text, 'reads'::text, 'all'::text, 'deny'::text]))),
  constraint agents_pkey PRIMARY KEY (id)
);

create table approvals (
  id uuid not null,
  session_id uuid,
  execution_id uuid,
  request_id text not null,
  kind text not null,
  tool text not null,
  title text not null,
  input json not null,
  input_hash text not null,
  subject text,
  subjects text[],
  read_only boolean not null,
  danger integer not null,
  tool_call_id text,
  options json not null,
  questions json,
  schema json,
  status text not null default 'waiting'::text,
  place bigint not null,
  asked_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  answered_at timestamp with time zone,
  answered_by text,
  reason text,
  content json,
  asked_by text not null default 'agent'::text,
  used_at timestamp with time zone,
  code_run_id uuid,
  queue_position integer,
  queue_total integer,
  constraint approvals_asked_by_check CHECK ((asked_by = ANY (ARRAY['agent'::text, 'registry'::text]))),
  constraint approvals_check CHECK (((answered_at IS NULL) = (status = 'waiting'::text))),
  constraint approvals_code_run_id_fkey FOREIGN KEY (code_run_id) REFERENCES code_runs(id) ON DELETE CASCADE,
  constraint approvals_danger_check CHECK (((danger >= 0) AND (danger <= 3))),
  constraint approvals_execution_id_fkey FOREIGN KEY (execution_id) REFERENCES executions(id),
  constraint approvals_execution_id_request_id_key UNIQUE (execution_id, request_id),
  constraint approvals_kind_check CHECK ((kind = ANY (ARRAY['tool'::text, 'question'::text, 'plan'::text, 'danger'::text]))),
  constraint approvals_of_somebody CHECK ((((session_id IS NULL) = (execution_id IS NULL)) AND ((session_id IS NOT NULL) OR (code_run_id IS NOT NULL)))),
  constraint approvals_pkey PRIMARY KEY (id),
  constraint approvals_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id),
  constraint approvals_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'granted'::text, 'refused'::text, 'expired'::text])))
);
CREATE INDEX approvals_of_code_run ON public.approvals USING btree (code_run_id) WHERE (code_run_id IS NOT NULL);
CREATE INDEX approvals_of_people ON public.approvals USING btree (execution_id, asked_at) WHERE (answered_by IS DISTINCT FROM 'policy'::text);
CREATE INDEX approvals_of_session ON public.approvals USING btree (session_id, place);
CREATE INDEX approvals_waiting ON public.approvals USING btree (expires_at) WHERE (status = 'waiting'::text);

create table audit (
  id bigint not null,
  at timestamp with time zone not null default now(),
  kind text not null,
  actor text not null,
  workspace_id uuid,
  session_id uuid,
  subject text not null,
  outcome text not null,
  detail json not null default '{}'::json,
  duration_ms double precision,
  keeper_id uuid,
  keeper_offset bigint,
  constraint audit_kind_check CHECK ((kind = ANY (ARRAY['tool'::text, 'egress'::text, 'workspace'::text, 'source'::text, 'code'::text, 'user'::text, 'setting'::text, 'policy'::text]))),
  constraint audit_outcome_check CHECK ((outcome = ANY (ARRAY['ok'::text, 'refused'::text, 'failed'::text]))),
  constraint audit_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX audit_of_keeper ON public.audit USING btree (keeper_id, keeper_offset) WHERE (keeper_id IS NOT NULL);
CREATE INDEX audit_of_session ON public.audit USING btree (session_id, id) WHERE (session_id IS NOT NULL);
CREATE INDEX audit_of_workspace ON public.audit USING btree (workspace_id, id) WHERE (workspace_id IS NOT NULL);

create table capabilities (
  id uuid not null,
  agent_id uuid not null,
  key text not null,
  label text not null,
  interaction_mode text not null,
  command_tokens text[],
  prompt_template text,
  args_schema json not null,
  danger_level integer not null,
  annotations json not null,
  timeout_sec integer not null,
  max_output_bytes bigint not null,
  created_at timestamp with time zone not null default now(),
  constraint capabilities_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id) ON DELETE CASCADE,
  constraint capabilities_agent_id_key_key UNIQUE (agent_id, key),
  constraint capabilities_check CHECK (((interaction_mode <> 'template'::text) OR (command_tokens IS NOT NULL))),
  constraint capabilities_danger_level_check CHECK (((danger_level >= 0) AND (danger_level <= 3))),
  constraint capabilities_interaction_mode_check CHECK ((interaction_mode = ANY (ARRAY['template'::text, 'prompt'::text]))),
  constraint capabilities_pkey PRIMARY KEY (id)
);

create table code_calls (
  run_id uuid not null,
  call integer not null,
  kind text not null,
  name text not null,
  input json not null,
  status text not null,
  approval_id uuid,
  outcome json,
  place integer,
  begun_at timestamp with time zone,
  ended_at timestamp with time zone,
  constraint code_calls_pkey PRIMARY KEY (run_id, call),
  constraint code_calls_run_id_fkey FOREIGN KEY (run_id) REFERENCES code_runs(id) ON DELETE CASCADE,
  constraint code_calls_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'begun'::text, 'done'::text, 'failed'::text])))
);

create table code_images (
  hash text not null,
  bytes bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint code_images_pkey PRIMARY KEY (hash)
);

create table code_runs (
  id uuid not null,
  principal json not null,
  created_by text not null,
  session_id uuid,
  execution_id uuid,
  machine_id uuid not null,
  epoch integer not null default 1,
  status text not null,
  wanted json not null,
  grants json not null,
  image_hash text,
  memory bytea,
  state json,
  last_call integer not null default 0,
  logs json not null default '[]'::json,
  result json,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  constraint code_runs_check CHECK (((status = 'ended'::text) = ((ended_at IS NOT NULL) AND (result IS NOT NULL)))),
  constraint code_runs_execution_id_fkey FOREIGN KEY (execution_id) REFERENCES executions(id) ON DELETE CASCADE,
  constraint code_runs_image_hash_fkey FOREIGN KEY (image_hash) REFERENCES code_images(hash),
  constraint code_runs_machine_id_fkey FOREIGN KEY (machine_id) REFERENCES machines(id),
  constraint code_runs_pkey PRIMARY KEY (id),
  constraint code_runs_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint code_runs_status_check CHECK ((status = ANY (ARRAY['frozen'::text, 'running'::text, 'ended'::text])))
);
CREATE INDEX code_runs_ended ON public.code_runs USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX code_runs_of_execution ON public.code_runs USING btree (execution_id) WHERE (execution_id IS NOT NULL);
CREATE INDEX code_runs_open ON public.code_runs USING btree (machine_id, status) WHERE (status <> 'ended'::text);

create table commands (
  id uuid not null,
  execution_id uuid not null,
  position bigint not null,
  type text not null,
  payload json not null,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  delivered_at timestamp with time zone,
  outcome text,
  constraint commands_execution_id_fkey FOREIGN KEY (execution_id) REFERENCES executions(id) ON DELETE CASCADE,
  constraint commands_pkey PRIMARY KEY (id),
  constraint commands_type_check CHECK ((type = ANY (ARRAY['message'::text, 'answer'::text, 'interrupt'::text, 'cancel'::text, 'mode'::text, 'hold'::text, 'go_on'::text])))
);
CREATE INDEX commands_waiting ON public.commands USING btree (execution_id, "position") WHERE (delivered_at IS NULL);

create table discovered (
  id uuid not null,
  machine_id uuid not null,
  path text not null,
  name text not null,
  real_path text not null,
  package text,
  package_source text not null,
  version text,
  told_version text,
  description text,
  class text not null,
  confidence double precision not null,
  preset text,
  danger integer not null,
  uses integer not null,
  aliases text[] not null,
  schema json,
  schema_source text,
  schema_trouble text,
  subcommands text[] not null default '{}'::text[],
  options text[] not null default '{}'::text[],
  described_at timestamp with time zone,
  is_hidden boolean not null default false,
  agent_id uuid,
  gone_at timestamp with time zone,
  seen_at timestamp with time zone not null default now(),
  constraint discovered_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id) ON DELETE SET NULL,
  constraint discovered_class_check CHECK ((class = ANY (ARRAY['tool'::text, 'daemon'::text, 'agent'::text, 'tui'::text, 'builtin'::text]))),
  constraint discovered_danger_check CHECK (((danger >= 0) AND (danger <= 3))),
  constraint discovered_machine_id_fkey FOREIGN KEY (machine_id) REFERENCES machines(id),
  constraint discovered_machine_id_path_key UNIQUE (machine_id, path),
  constraint discovered_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX discovered_of_agent ON public.discovered USING btree (agent_id) WHERE (agent_id IS NOT NULL);

create table events (
  stream_id uuid not null,
  seq bigint not null,
  execution_id uuid,
  task_id uuid,
  type text not null,
  payload json not null,
  at timestamp with time zone not null default clock_timestamp(),
  size integer not null default octet_length((payload)::text),
  packed bytea,
  packed_from integer,
  constraint events_pkey PRIMARY KEY (stream_id, seq)
);
CREATE INDEX events_of_calls ON public.events USING btree (stream_id, at) WHERE (type = 'tool-input-available'::text);
CREATE INDEX events_of_people ON public.events USING btree (stream_id, seq) WHERE (type = ANY (ARRAY['data-afresh'::text, 'data-branch'::text, 'data-forked'::text, 'data-message'::text]));
CREATE INDEX events_of_task ON public.events USING btree (task_id, seq) WHERE (task_id IS NOT NULL);

create table executions (
  id uuid not null,
  session_id uuid not null,
  task_id uuid,
  agent_id uuid,
  agent_name text not null,
  capability_id uuid,
  capability_key text not null,
  machine_id uuid not null,
  workspace_id uuid,
  queue text not null,
  priority integer not null,
  status text not null,
  args json not null,
  prompt text,
  parent_execution_id uuid,
  depth integer not null default 0,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  worker_id text,
  lease_epoch bigint not null default 0,
  keeper_id uuid,
  copied_to bigint not null default 0,
  copied_bytes bigint not null default 0,
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
  unreachable_since timestamp with time zone,
  output_removed_at timestamp with time zone,
  files json not null default '[]'::json,
  fork boolean not null default false,
  stalled_since timestamp with time zone,
  waiting_approvals integer not null default 0,
  changes json,
  constraint executions_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id) ON DELETE SET NULL,
  constraint executions_capability_id_fkey FOREIGN KEY (capability_id) REFERENCES capabilities(id) ON DELETE SET NULL,
  constraint executions_check CHECK (((ended_at IS NOT NULL) = (status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'cancelled'::text, 'timed_out'::text])))),
  constraint executions_machine_id_fkey FOREIGN KEY (machine_id) REFERENCES machines(id),
  constraint executions_parent_execution_id_fkey FOREIGN KEY (parent_execution_id) REFERENCES executions(id),
  constraint executions_pkey PRIMARY KEY (id),
  constraint executions_queue_check CHECK ((queue = ANY (ARRAY['tool'::text, 'coding'::text, 'chat'::text]))),
  constraint executions_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id),
  constraint executions_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'cancelling'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text, 'timed_out'::text]))),
  constraint executions_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id) ON DELETE SET NULL,
  constraint executions_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX executions_ended ON public.executions USING btree (ended_at) WHERE ((ended_at IS NOT NULL) AND (output_removed_at IS NULL));
CREATE INDEX executions_live ON public.executions USING btree (machine_id, id) WHERE (ended_at IS NULL);
CREATE INDEX executions_of_agent ON public.executions USING btree (agent_id, id) WHERE (agent_id IS NOT NULL);
CREATE INDEX executions_of_parent ON public.executions USING btree (parent_execution_id) WHERE (parent_execution_id IS NOT NULL);
CREATE INDEX executions_of_session ON public.executions USING btree (session_id, id);
CREATE INDEX executions_of_task ON public.executions USING btree (task_id, id) WHERE (task_id IS NOT NULL);
CREATE UNIQUE INDEX executions_one_live ON public.executions USING btree (session_id) WHERE (ended_at IS NULL);
CREATE INDEX executions_span ON public.executions USING gist (tstzrange(created_at,
CASE
    WHEN (ended_at IS NULL) THEN NULL::timestamp with time zone
    ELSE GREATEST(created_at, ended_at)
END, '[]'::text));

create table machines (
  id uuid not null,
  name text not null,
  worker_id text not null,
  url text not null,
  report json,
  started_at timestamp with time zone not null default now(),
  seen_at timestamp with time zone not null default now(),
  stopped_at timestamp with time zone,
  constraint machines_pkey PRIMARY KEY (id)
);

create table migrations (
  name text not null,
  hash text not null,
  at timestamp with time zone not null default now(),
  constraint migrations_pkey PRIMARY KEY (name)
);

create table policy_rules (
  id uuid not null,
  agent_id uuid,
  tool text not null,
  argument text,
  effect text not null,
  approval_id uuid,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  constraint policy_rules_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id) ON DELETE CASCADE,
  constraint policy_rules_approval_id_fkey FOREIGN KEY (approval_id) REFERENCES approvals(id) ON DELETE SET NULL,
  constraint policy_rules_effect_check CHECK ((effect = ANY (ARRAY['allow'::text, 'deny'::text, 'ask'::text]))),
  constraint policy_rules_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX policy_rules_once ON public.policy_rules USING btree (agent_id, tool, argument) NULLS NOT DISTINCT;

create table previews (
  hash bytea not null,
  kind text not null,
  workspace_id uuid not null,
  port integer,
  token_id uuid,
  principal json not null,
  until timestamp with time zone,
  expires_at timestamp with time zone not null,
  constraint previews_kind_check CHECK ((kind = ANY (ARRAY['ticket'::text, 'key'::text]))),
  constraint previews_pkey PRIMARY KEY (hash),
  constraint previews_token_id_fkey FOREIGN KEY (token_id) REFERENCES tokens(id) ON DELETE CASCADE,
  constraint previews_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX previews_of_token ON public.previews USING btree (token_id) WHERE (token_id IS NOT NULL);
CREATE INDEX previews_of_workspace ON public.previews USING btree (workspace_id);

create table scans (
  machine_id uuid not null,
  progress json not null,
  updated_at timestamp with time zone not null default now(),
  constraint scans_machine_id_fkey FOREIGN KEY (machine_id) REFERENCES machines(id),
  constraint scans_pkey PRIMARY KEY (machine_id)
);

create table sessions (
  id uuid not null,
  title text not null,
  agent_id uuid,
  workspace_id uuid,
  task_id uuid,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  model text,
  mode text,
  session_ref text,
  facts json not null default '{}'::json,
  parent_session_id uuid,
  adopted_at timestamp with time zone,
  history_file text,
  history_mark text,
  taken_over_at timestamp with time zone,
  taken_over_by text,
  tmux_session text,
  trashed_at timestamp with time zone,
  constraint sessions_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id) ON DELETE SET NULL,
  constraint sessions_id_fkey FOREIGN KEY (id) REFERENCES streams(id),
  constraint sessions_parent_session_id_fkey FOREIGN KEY (parent_session_id) REFERENCES sessions(id),
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id) ON DELETE SET NULL,
  constraint sessions_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX sessions_of_creator ON public.sessions USING btree (created_by, id DESC);
CREATE INDEX sessions_of_ref ON public.sessions USING btree (agent_id, session_ref) WHERE (session_ref IS NOT NULL);
CREATE INDEX sessions_of_task ON public.sessions USING btree (task_id) WHERE (task_id IS NOT NULL);

create table settings (
  key text not null,
  value json not null,
  updated_by text not null,
  updated_at timestamp with time zone not null default now(),
  constraint settings_pkey PRIMARY KEY (key)
);

create table signing_keys (
  name text not null,
  secret bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint signing_keys_pkey PRIMARY KEY (name)
);

create table source_authorizations (
  state_hash bytea not null,
  source_id uuid not null,
  principal_id text not null,
  secrets bytea not null,
  expires_at timestamp with time zone not null,
  constraint source_authorizations_pkey PRIMARY KEY (state_hash),
  constraint source_authorizations_source_id_fkey FOREIGN KEY (source_id) REFERENCES sources(id) ON DELETE CASCADE
);

create table source_grants (
  source_id uuid not null,
  principal_id text not null,
  secrets bytea not null,
  expires_at timestamp with time zone,
  updated_at timestamp with time zone not null default now(),
  constraint source_grants_pkey PRIMARY KEY (source_id, principal_id),
  constraint source_grants_source_id_fkey FOREIGN KEY (source_id) REFERENCES sources(id) ON DELETE CASCADE
);

create table sources (
  id uuid not null,
  name text not null,
  machine_id uuid not null,
  origin text not null,
  config json not null,
  secrets bytea,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint sources_machine_id_fkey FOREIGN KEY (machine_id) REFERENCES machines(id),
  constraint sources_name_key UNIQUE (name),
  constraint sources_origin_check CHECK ((origin = ANY (ARRAY['api'::text, 'yaml'::text, 'file'::text, 'import'::text]))),
  constraint sources_pkey PRIMARY KEY (id)
);
CREATE INDEX sources_of_machine ON public.sources USING btree (machine_id);

create table streams (
  id uuid not null,
  last_seq bigint not null default 0,
  last_at timestamp with time zone not null default now(),
  constraint streams_pkey PRIMARY KEY (id)
);

create table task_dependencies (
  task_id uuid not null,
  depends_on_task_id uuid not null,
  created_at timestamp with time zone not null default now(),
  constraint task_dependencies_check CHECK ((task_id <> depends_on_task_id)),
  constraint task_dependencies_depends_on_task_id_fkey FOREIGN KEY (depends_on_task_id) REFERENCES tasks(id) ON DELETE CASCADE,
  constraint task_dependencies_pkey PRIMARY KEY (task_id, depends_on_task_id),
  constraint task_dependencies_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id) ON DELETE CASCADE
);
CREATE INDEX task_dependencies_reverse ON public.task_dependencies USING btree (depends_on_task_id);

create table tasks (
  id uuid not null,
  title text not null,
  description text not null,
  searchable text not null default lower(((title || '
'::text) || description)),
  status task_status not null,
  priority text not null,
  parent_task_id uuid,
  assignee_agent_id uuid,
  workspace_id uuid,
  position text not null,
  depth integer not null,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint tasks_assignee_agent_id_fkey FOREIGN KEY (assignee_agent_id) REFERENCES agents(id) ON DELETE SET NULL,
  constraint tasks_depth_check CHECK (((depth >= 0) AND (depth <= 3))),
  constraint tasks_parent_task_id_fkey FOREIGN KEY (parent_task_id) REFERENCES tasks(id) ON DELETE CASCADE,
  constraint tasks_pkey PRIMARY KEY (id),
  constraint tasks_place UNIQUE (status, "position") DEFERRABLE,
  constraint tasks_priority_check CHECK ((priority = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text, 'critical'::text]))),
  constraint tasks_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE SET NULL
);
CREATE INDEX tasks_assignee ON public.tasks USING btree (assignee_agent_id) WHERE (assignee_agent_id IS NOT NULL);
CREATE INDEX tasks_parent ON public.tasks USING btree (parent_task_id) WHERE (parent_task_id IS NOT NULL);

create table terminals (
  machine_id text not null,
  port integer not null,
  url text,
  started_at timestamp with time zone not null default now(),
  constraint terminals_pkey PRIMARY KEY (machine_id)
);

create table tickets (
  hash bytea not null,
  principal json not null,
  expires_at timestamp with time zone not null,
  constraint tickets_pkey PRIMARY KEY (hash)
);

create table tokens (
  id uuid not null,
  hash bytea not null,
  kind text not null,
  user_id uuid,
  home_id text,
  parent_id uuid,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone,
  session_id uuid,
  execution_id uuid,
  browser text,
  constraint tokens_agent_check CHECK (((kind = 'agent'::text) = ((session_id IS NOT NULL) AND (execution_id IS NOT NULL)))),
  constraint tokens_check CHECK (((kind = 'owner'::text) = (home_id IS NOT NULL))),
  constraint tokens_check1 CHECK (((kind = 'session'::text) = (parent_id IS NOT NULL))),
  constraint tokens_execution_id_fkey FOREIGN KEY (execution_id) REFERENCES executions(id) ON DELETE CASCADE,
  constraint tokens_hash_key UNIQUE (hash),
  constraint tokens_kind_check CHECK ((kind = ANY (ARRAY['owner'::text, 'user'::text, 'session'::text, 'agent'::text]))),
  constraint tokens_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES tokens(id) ON DELETE CASCADE,
  constraint tokens_pkey PRIMARY KEY (id),
  constraint tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX tokens_of_session ON public.tokens USING btree (session_id) WHERE (session_id IS NOT NULL);
CREATE UNIQUE INDEX tokens_owner ON public.tokens USING btree (home_id) WHERE (kind = 'owner'::text);

create table tool_pins (
  source_id uuid not null,
  tool text not null,
  hash text not null,
  definition json not null,
  accepted_at timestamp with time zone not null default now(),
  accepted_by text not null,
  constraint tool_pins_pkey PRIMARY KEY (source_id, tool),
  constraint tool_pins_source_id_fkey FOREIGN KEY (source_id) REFERENCES sources(id) ON DELETE CASCADE
);

create table used_terminal_tokens (
  id uuid not null,
  expires_at timestamp with time zone not null,
  constraint used_terminal_tokens_pkey PRIMARY KEY (id)
);

create table users (
  id uuid not null,
  name text not null,
  scopes text[] not null,
  created_at timestamp with time zone not null default now(),
  constraint users_name_key UNIQUE (name),
  constraint users_pkey PRIMARY KEY (id)
);

create table webs (
  home_id text not null,
  url text not null,
  started_at timestamp with time zone not null default now(),
  constraint webs_pkey PRIMARY KEY (home_id)
);

create table workspaces (
  id uuid not null,
  machine_id uuid not null,
  driver text not null,
  root text not null,
  parent_id uuid,
  created_at timestamp with time zone not null default now(),
  name text not null,
  session_id uuid,
  source json,
  image text,
  egress json not null default '"model"'::json,
  ports integer[] not null default '{}'::integer[],
  setup text,
  teardown text,
  app json,
  worktrees boolean not null default true,
  logins text[] not null default '{}'::text[],
  branch text,
  base_ref text,
  state text not null default 'ready'::text,
  error text,
  created_by text not null default 'owner'::text,
  used_at timestamp with time zone,
  trashed_at timestamp with time zone,
  snapshot text,
  forgotten_at timestamp with time zone,
  disk_bytes bigint,
  disk_measured_at timestamp with time zone,
  constraint workspaces_driver_check CHECK ((driver = ANY (ARRAY['folder'::text, 'sandbox'::text, 'docker'::text]))),
  constraint workspaces_machine_id_fkey FOREIGN KEY (machine_id) REFERENCES machines(id),
  constraint workspaces_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES workspaces(id),
  constraint workspaces_pkey PRIMARY KEY (id),
  constraint workspaces_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id),
  constraint workspaces_state_check CHECK ((state = ANY (ARRAY['new'::text, 'preparing'::text, 'ready'::text, 'failed'::text, 'trashed'::text])))
);
CREATE UNIQUE INDEX workspaces_folder ON public.workspaces USING btree (machine_id, root) WHERE ((driver = 'folder'::text) AND (parent_id IS NULL));
CREATE INDEX workspaces_parent ON public.workspaces USING btree (parent_id) WHERE (parent_id IS NOT NULL);
CREATE UNIQUE INDEX workspaces_session ON public.workspaces USING btree (session_id) WHERE (session_id IS NOT NULL);
