-- What the migrations make, for reading. A test compares it; UPDATE=1 npm run check writes it anew.

create table agents (
  id uuid not null,
  name text not null,
  kind text not null,
  active boolean not null default true,
  created_at timestamp with time zone not null default now(),
  constraint agents_kind_check CHECK ((kind = ANY (ARRAY['tool'::text, 'coding'::text, 'model'::text]))),
  constraint agents_name_key UNIQUE (name),
  constraint agents_pkey PRIMARY KEY (id)
);

create table events (
  stream_id uuid not null,
  seq bigint not null,
  execution_id uuid,
  task_id uuid,
  type text not null,
  payload json not null,
  at timestamp with time zone not null default clock_timestamp(),
  constraint events_pkey PRIMARY KEY (stream_id, seq)
);
CREATE INDEX events_of_task ON public.events USING btree (task_id, seq) WHERE (task_id IS NOT NULL);

create table migrations (
  name text not null,
  hash text not null,
  at timestamp with time zone not null default now(),
  constraint migrations_pkey PRIMARY KEY (name)
);

create table settings (
  key text not null,
  value json not null,
  updated_by text not null,
  updated_at timestamp with time zone not null default now(),
  constraint settings_pkey PRIMARY KEY (key)
);

create table streams (
  id uuid not null,
  last_seq bigint not null default 0,
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
  constraint tasks_priority_check CHECK ((priority = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text, 'critical'::text])))
);
CREATE INDEX tasks_assignee ON public.tasks USING btree (assignee_agent_id) WHERE (assignee_agent_id IS NOT NULL);
CREATE INDEX tasks_parent ON public.tasks USING btree (parent_task_id) WHERE (parent_task_id IS NOT NULL);

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
  constraint tokens_check CHECK (((kind = 'owner'::text) = (home_id IS NOT NULL))),
  constraint tokens_check1 CHECK (((kind = 'session'::text) = (parent_id IS NOT NULL))),
  constraint tokens_hash_key UNIQUE (hash),
  constraint tokens_kind_check CHECK ((kind = ANY (ARRAY['owner'::text, 'user'::text, 'session'::text]))),
  constraint tokens_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES tokens(id) ON DELETE CASCADE,
  constraint tokens_pkey PRIMARY KEY (id),
  constraint tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX tokens_owner ON public.tokens USING btree (home_id) WHERE (kind = 'owner'::text);

create table users (
  id uuid not null,
  name text not null,
  scopes text[] not null,
  created_at timestamp with time zone not null default now(),
  constraint users_name_key UNIQUE (name),
  constraint users_pkey PRIMARY KEY (id)
);
