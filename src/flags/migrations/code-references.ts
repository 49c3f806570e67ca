// The tables of code references: repositories, their branches, where flags are named on them, and where they vanished.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const codeReferenceMigrations: Migration[] = [
  {
    name: 'flags-code-references',
    up: ({ text }) => [
      `create table code_repositories (
         id ${text} primary key, name ${text} not null unique, type ${text} not null, default_branch ${text} not null,
         is_enabled integer not null, doc ${text} not null, version integer not null, created_at bigint not null)`,
      `create table code_branches (
         id ${text} primary key, repository_id ${text} not null references code_repositories (id) on delete cascade,
         name ${text} not null, head ${text} not null, update_sequence_id bigint, sync_time bigint not null,
         commit_time bigint, file_count integer not null, hunk_count integer not null, unique (repository_id, name))`,
      `create table code_references (
         branch_id ${text} not null references code_branches (id) on delete cascade, position integer not null,
         project_id ${text} references projects (id) on delete cascade, flag_key ${text} not null,
         file_count integer not null, hunk_count integer not null, length integer not null, doc ${text} not null,
         primary key (branch_id, position))`,
      'create index code_references_flag on code_references (branch_id, project_id, flag_key)',
      'create index code_references_project on code_references (project_id, flag_key, branch_id)',
      `create table code_extinctions (
         id ${text} primary key, branch_id ${text} not null references code_branches (id) on delete cascade,
         project_id ${text} not null references projects (id) on delete cascade, flag_key ${text} not null,
         revision ${text} not null, message ${text} not null, time bigint not null,
         unique (branch_id, project_id, flag_key, revision))`,
      'create index code_extinctions_time on code_extinctions (branch_id, time, id)',
      'create index code_extinctions_project on code_extinctions (project_id)',
    ],
  },
];
