-- Checks and what came of them; the audit trail.
create table preflight_check (
  tenant_id text not null,
  check_id text not null,
  principal_id text not null,
  -- '' is tenant-wide.
  scope_key text not null,
  action_type text not null,
  -- Hash of type, normalized command, scope and sorted files: what an approval is bound to.
  fingerprint text not null,
  verdict text not null,
  cited text[] not null,
  created_at timestamptz not null,
  decision text check (decision in ('approved', 'rejected')),
  decided_by text,
  decided_at timestamptz,
  decision_expires_at timestamptz,
  outcome text check (outcome in ('succeeded', 'failed', 'reverted', 'abandoned')),
  outcome_by text,
  outcome_at timestamptz,
  note text,
  useful text[],
  lesson_id text,
  primary key (tenant_id, check_id),
  foreign key (tenant_id, principal_id) references principal (tenant_id, principal_id)
);
create index preflight_check_decided on preflight_check (tenant_id, fingerprint, decided_at desc) where decision is not null;
create index preflight_check_outcome on preflight_check (tenant_id, fingerprint, outcome_at desc) where outcome is not null;

-- Append-only: who did what, when, with which outcome. Holds ids, never memory text.
create table audit (
  tenant_id text not null,
  audit_no bigint not null generated always as identity,
  at timestamptz not null,
  request_id text not null,
  principal_id text,
  event text not null,
  outcome text not null,
  subjects text[] not null default '{}',
  primary key (tenant_id, audit_no)
);
create index audit_newest on audit (tenant_id, at desc);
create function audit_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'audit rows are never changed or deleted';
end
$$;
create trigger audit_append_only before update or delete on audit for each row execute function audit_is_append_only();
