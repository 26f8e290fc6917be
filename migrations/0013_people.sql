-- Which browser holds a session key; and what is done with people, settings and rules is in the audit too.

alter table tokens
  add column browser text; -- as it called itself when it logged in

alter table audit
  drop constraint audit_kind_check,
  add constraint audit_kind_check
    check (kind in ('tool', 'egress', 'workspace', 'source', 'code', 'user', 'setting', 'policy'));
