-- The web terminal: where each machine's serves, and which of its tokens have been used.

create table terminals (
  machine_id text primary key,
  port integer not null,
  -- How browsers reach it; null: by the name that they call web by, at this port.
  url text,
  started_at timestamptz not null default now()
);

-- A token opens once, whichever process it is shown to and however often that was restarted.
create table used_terminal_tokens (
  id uuid primary key,
  expires_at timestamptz not null
);
