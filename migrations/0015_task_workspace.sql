-- Tasks name where agents work on them. A workspace that is gone for good is named by none.

alter table tasks drop constraint tasks_workspace_id_fkey;
alter table tasks
  add constraint tasks_workspace_id_fkey foreign key (workspace_id) references workspaces (id) on delete set null;
