// Custom repository roles of an organization: a base role with a name of its own and further permissions.
import { OneOf, PlainText, Type, Nullable, type Static } from '../../kernel/schema/schema.ts';
import { ownerOfOrganization, type Organization } from '../organizations/model.ts';
import { SimpleUser, toSimpleUser } from '../owners/model.ts';
import { isoSeconds } from '../times.ts';

const BASE_ROLES = ['read', 'triage', 'write', 'maintain'] as const;

export type CustomBaseRole = (typeof BASE_ROLES)[number];

/** What a custom role may add to its base role. */
const FINE_PERMISSIONS = [
  'add_assignee',
  'add_label',
  'bypass_branch_protection',
  'close_discussion',
  'close_issue',
  'close_pull_request',
  'convert_issues_to_discussions',
  'create_discussion_category',
  'create_solo_merge_queue_entry',
  'create_tag',
  'delete_alerts_code_scanning',
  'delete_discussion',
  'delete_discussion_comment',
  'delete_issue',
  'delete_tag',
  'edit_category_on_discussion',
  'edit_discussion_category',
  'edit_discussion_comment',
  'edit_repo_announcement_banners',
  'edit_repo_custom_properties_values',
  'edit_repo_metadata',
  'edit_repo_protections',
  'jump_merge_queue',
  'manage_deploy_keys',
  'manage_settings_merge_types',
  'manage_settings_pages',
  'manage_settings_projects',
  'manage_settings_wiki',
  'manage_webhooks',
  'mark_as_duplicate',
  'push_protected_branch',
  'read_code_scanning',
  'remove_assignee',
  'remove_label',
  'reopen_discussion',
  'reopen_issue',
  'reopen_pull_request',
  'request_pr_review',
  'resolve_dependabot_alerts',
  'resolve_secret_scanning_alerts',
  'set_interaction_limits',
  'set_issue_type',
  'set_milestone',
  'set_social_preview',
  'toggle_discussion_answer',
  'toggle_discussion_comment_minimize',
  'view_dependabot_alerts',
  'view_secret_scanning_alerts',
  'write_code_scanning',
] as const;

export interface CustomRepositoryRole {
  number: number;
  organizationId: string;
  name: string;
  description: string | null;
  baseRole: CustomBaseRole;
  permissions: string[];
  createdAt: number;
  updatedAt: number;
}

const RoleName = PlainText({ minLength: 1, maxLength: 100 });
const RoleDescription = Type.Optional(Nullable(PlainText({ maxLength: 1000 })));
const Permissions = Type.Array(OneOf(FINE_PERMISSIONS), { maxItems: 200 });

export const RepositoryRolePost = Type.Object(
  {
    name: RoleName,
    description: RoleDescription,
    base_role: OneOf(BASE_ROLES),
    permissions: Permissions,
  },
  { $id: 'organization-custom-repository-role-create-schema' },
);

export const RepositoryRolePatch = Type.Object(
  {
    name: Type.Optional(RoleName),
    description: RoleDescription,
    base_role: Type.Optional(OneOf(BASE_ROLES)),
    permissions: Type.Optional(Permissions),
  },
  { $id: 'organization-custom-repository-role-update-schema' },
);

export const RepositoryRoleRep = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    description: Nullable(Type.String()),
    base_role: OneOf(BASE_ROLES),
    permissions: Type.Array(Type.String()),
    organization: SimpleUser,
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'organization-custom-repository-role' },
);

export const RepositoryRoleList = Type.Object({
  total_count: Type.Integer(),
  custom_roles: Type.Array(RepositoryRoleRep),
});

export function toRepositoryRole(
  role: CustomRepositoryRole,
  organization: Organization,
  base: string,
): Static<typeof RepositoryRoleRep> {
  return {
    id: role.number,
    name: role.name,
    description: role.description,
    base_role: role.baseRole,
    permissions: role.permissions,
    organization: toSimpleUser(ownerOfOrganization(organization), base),
    created_at: isoSeconds(role.createdAt),
    updated_at: isoSeconds(role.updatedAt),
  };
}

const BUILT_IN = new Set([...BASE_ROLES, 'admin', 'pull', 'push', 'none', 'owner']);

/** Whether the name is one of those that requests use for roles which every organization has. */
export function isBuiltInRole(name: string): boolean {
  return BUILT_IN.has(name.toLowerCase());
}
