-- Tenants, who may act in them, memories, and what search reads: postings and vectors.
-- Every key starts with tenant_id, so that the schema distributes on it and no statement needs to cross tenants.
create extension if not exists vector;

create table tenant (
  tenant_id text primary key,
  created_at timestamptz not null default now()
);

create table principal (
  tenant_id text not null references tenant (tenant_id),
  principal_id text not null,
  name text not null,
  type text not null check (type in ('person', 'machine')),
  grants jsonb not null,
  -- SHA-256 of a machine's client secret, hex.
  secret_hash text,
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  primary key (tenant_id, principal_id),
  unique (tenant_id, name)
);

create table credential (
  tenant_id text not null,
  token_hash text not null,
  credential_id text not null,
  principal_id text not null,
  label text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  primary key (tenant_id, token_hash),
  unique (tenant_id, credential_id),
  foreign key (tenant_id, principal_id) references principal (tenant_id, principal_id)
);

create table scope (
  tenant_id text not null references tenant (tenant_id),
  scope_no bigint not null generated always as identity,
  -- '' is tenant-wide.
  scope_key text not null,
  -- The key and what encloses it: what a grant's pattern is held against.
  chain text[] not null,
  -- Searchable memories: BM25's N.
  memories bigint not null default 0,
  -- Memories ever made searchable: the last position given out.
  written bigint not null default 0,
  primary key (tenant_id, scope_no),
  unique (tenant_id, scope_key)
);

create table memory (
  tenant_id text not null,
  memory_no bigint not null generated always as identity,
  memory_id text not null,
  scope_no bigint not null,
  -- Null once erased.
  content text,
  kind text not null,
  tags text[] not null default '{}',
  rule jsonb,
  revision int not null default 1,
  principal_id text not null,
  source jsonb,
  check_id text,
  flags text[] not null default '{}',
  -- Length in terms; null while the memory has no postings.
  length int,
  -- Its place among the memories of its scope in the order of writing. Of the scope alone: memory_no would tell of other tenants' writes.
  position bigint,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  occurred_at timestamptz,
  expires_at timestamptz,
  superseded_by text,
  superseded_at timestamptz,
  supersedes text[] not null default '{}',
  forgotten_at timestamptz,
  erased boolean not null default false,
  primary key (tenant_id, memory_no),
  unique (tenant_id, memory_id),
  foreign key (tenant_id, scope_no) references scope (tenant_id, scope_no),
  foreign key (tenant_id, principal_id) references principal (tenant_id, principal_id)
);
create index memory_newest on memory (tenant_id, scope_no, created_at desc, memory_no desc);
create index memory_rule on memory (tenant_id, scope_no) where rule is not null;

-- Who else said the same, once per principal.
create table corroboration (
  tenant_id text not null,
  memory_no bigint not null,
  principal_id text not null,
  at timestamptz not null,
  source jsonb,
  primary key (tenant_id, memory_no, principal_id),
  foreign key (tenant_id, memory_no) references memory (tenant_id, memory_no),
  foreign key (tenant_id, principal_id) references principal (tenant_id, principal_id)
);

create table memory_event (
  tenant_id text not null,
  memory_no bigint not null,
  event_no bigint not null generated always as identity,
  at timestamptz not null,
  principal_id text not null,
  change text not null check (change in ('remembered', 'revised', 'superseded', 'restored', 'forgotten', 'erased', 'revived')),
  revision int not null,
  kind text not null,
  tags text[] not null,
  rule jsonb,
  expires_at timestamptz,
  reason text,
  request_id text not null,
  primary key (tenant_id, memory_no, event_no),
  foreign key (tenant_id, memory_no) references memory (tenant_id, memory_no)
);

-- The inverted index, derived from content (so without a foreign key, which would be checked per term). Statistics come from the searched scopes' own rows, so they are exact and reveal nothing of other scopes.
create table posting (
  tenant_id text not null,
  term text not null,
  scope_no bigint not null,
  memory_no bigint not null,
  frequency int not null,
  length int not null,
  primary key (tenant_id, term, scope_no, memory_no)
);

-- One row a model that has filled vectors here; exactly one is active. Deployment-wide: it holds nothing of a tenant.
create table embedding_model (
  model_no int primary key,
  model_id text not null,
  dimensions int not null,
  -- SHA-256 over the model's files, so that two models of one name are told apart.
  fingerprint text not null,
  active boolean not null default false,
  unique (model_id, fingerprint)
);
create unique index embedding_model_active on embedding_model (active) where active;

-- Narrow and uncompressed: in a wide row a vector moves to TOAST and an exact scan takes seven times as long (347 ms against 52 for 100k rows).
create table memory_vector (
  tenant_id text not null,
  model_no int not null,
  scope_no bigint not null,
  memory_no bigint not null,
  embedding vector not null,
  primary key (tenant_id, model_no, scope_no, memory_no),
  foreign key (tenant_id, memory_no) references memory (tenant_id, memory_no)
);
alter table memory_vector alter column embedding set storage plain;

create table setting (
  name text primary key,
  value text not null
);

-- Housekeeping reads across tenants: what has expired but is still indexed.
create index memory_expiry on memory (expires_at) where expires_at is not null and length is not null;
