// The tables of approval requests and their reviewers.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const approvalMigrations: Migration[] = [
  {
    name: 'flags-approvals',
    up: ({ text }) => [
      `create table approval_requests (
         id ${text} primary key, project_id ${text} not null references projects (id) on delete cascade,
         flag_id ${text} not null references flags (id) on delete cascade,
         environment_id ${text} not null references environments (id) on delete cascade,
         requestor_id ${text} not null, status ${text} not null, review_status ${text} not null,
         version integer not null, created_at bigint not null, plan ${text} not null, doc ${text} not null)`,
      `create index approval_requests_created on approval_requests (created_at, id)`,
      `create index approval_requests_project on approval_requests (project_id, created_at, id)`,
      `create index approval_requests_flag on approval_requests (flag_id, environment_id, created_at, id)`,
      // Each flag change looks for pending requests; the index skips the finished ones.
      `create index approval_requests_pending on approval_requests (flag_id, status, environment_id)`,
      `create index approval_requests_environment on approval_requests (environment_id)`,
      `create index approval_requests_requestor on approval_requests (requestor_id, created_at, id)`,
      `create table approval_reviewers (
         request_id ${text} not null references approval_requests (id) on delete cascade,
         member_id ${text} not null, primary key (request_id, member_id))`,
      `create index approval_reviewers_member on approval_reviewers (member_id, request_id)`,
    ],
  },
  {
    name: 'flags-approvals-boundaries',
    up: ({ text }) => [
      `alter table approval_requests add column boundary_id ${text}`,
      `create index approval_requests_boundary on approval_requests (boundary_id) where boundary_id is not null`,
    ],
  },
];
