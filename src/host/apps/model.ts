// Apps, installations and their tokens as requests and replies show them.
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import { nodeId } from '../node-id.ts';
import { SimpleUser, toSimpleUser, type RepositoryOwner } from '../owners/model.ts';
import { NestedRepository } from '../repositories/model.ts';
import { isoSeconds } from '../times.ts';
import type { HostApp, Installation } from './app.ts';
import { APP_PERMISSION_NAMES } from './permissions.ts';
import { siteOf } from '../site.ts';

const Permissions = Type.Object(
  Object.fromEntries(
    APP_PERMISSION_NAMES.map((name) => [name, Type.Optional(OneOf(['read', 'write', 'admin']))]),
  ),
  { $id: 'app-permissions' },
);

export const AppIntegration = Type.Object(
  {
    id: Type.Integer(),
    slug: Type.String(),
    node_id: Type.String(),
    client_id: Type.String(),
    owner: SimpleUser,
    name: Type.String(),
    description: Nullable(Type.String()),
    external_url: Type.String(),
    html_url: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    permissions: Permissions,
    events: Type.Array(Type.String()),
    installations_count: Type.Optional(Type.Integer()),
  },
  { $id: 'integration' },
);

export const InstallationReply = Type.Object(
  {
    id: Type.Integer(),
    node_id: Type.String(),
    account: SimpleUser,
    repository_selection: OneOf(['all', 'selected']),
    access_tokens_url: Type.String(),
    repositories_url: Type.String(),
    html_url: Type.String(),
    app_id: Type.Integer(),
    client_id: Type.String(),
    app_slug: Type.String(),
    target_id: Type.Integer(),
    target_type: Type.String(),
    permissions: Permissions,
    events: Type.Array(Type.String()),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    single_file_name: Nullable(Type.String()),
    has_multiple_single_files: Type.Boolean(),
    single_file_paths: Type.Array(Type.String()),
    suspended_by: Nullable(SimpleUser),
    suspended_at: Nullable(Type.String({ format: 'date-time' })),
  },
  { $id: 'installation' },
);

export const InstallationList = Type.Object({
  total_count: Type.Integer(),
  installations: Type.Array(InstallationReply),
});

export const InstallationRepositories = Type.Object({
  total_count: Type.Integer(),
  repository_selection: OneOf(['all', 'selected']),
  repositories: Type.Array(NestedRepository),
});

/** Repositories that a token may be narrowed to at most. */
const MAX_NARROWED = 500;

export const TokenRequest = Type.Object(
  {
    repositories: Type.Optional(
      Type.Array(Type.String({ maxLength: 200 }), {
        maxItems: MAX_NARROWED,
        description: 'Names of repositories of the account that the token is limited to',
      }),
    ),
    repository_ids: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
        maxItems: MAX_NARROWED,
        description: 'The same by number',
      }),
    ),
    permissions: Type.Optional(
      Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 20 }), {
        description: 'The permissions that the token is limited to; those of the installation if absent',
      }),
    ),
  },
  { $id: 'installation-token-request' },
);

export const InstallationTokenReply = Type.Object(
  {
    token: Type.String(),
    expires_at: Type.String({ format: 'date-time' }),
    permissions: Permissions,
    repository_selection: OneOf(['all', 'selected']),
    repositories: Type.Optional(Type.Array(NestedRepository)),
  },
  { $id: 'installation-token' },
);

export function toIntegration(
  app: HostApp,
  owner: RepositoryOwner,
  base: string,
  installations?: number,
): Static<typeof AppIntegration> {
  return {
    id: app.number,
    slug: app.slug,
    node_id: nodeId('Integration', app.number),
    client_id: app.clientId,
    owner: toSimpleUser(owner, base),
    name: app.name,
    description: app.description,
    external_url: app.externalUrl,
    html_url: `${siteOf(base)}/apps/${app.slug}`,
    created_at: isoSeconds(app.createdAt),
    updated_at: isoSeconds(app.updatedAt),
    permissions: app.permissions,
    events: [...app.events],
    ...(installations !== undefined && { installations_count: installations }),
  };
}

export interface ShownInstallation {
  app: Pick<HostApp, 'number' | 'clientId' | 'slug'>;
  account: RepositoryOwner;
  /** Null where nobody did, or the account is gone. */
  suspendedBy: RepositoryOwner | null;
}

export function toInstallation(
  installation: Installation,
  { app, account, suspendedBy }: ShownInstallation,
  base: string,
): Static<typeof InstallationReply> {
  const { number } = installation;
  const site = siteOf(base);
  const settings = account.type === 'Organization' ? `organizations/${account.login}/settings` : 'settings';
  return {
    id: number,
    node_id: nodeId('IntegrationInstallation', number),
    account: toSimpleUser(account, base),
    repository_selection: installation.selection,
    access_tokens_url: `${base}/app/installations/${number}/access_tokens`,
    repositories_url: `${base}/installation/repositories`,
    html_url: `${site}/${settings}/installations/${number}`,
    app_id: app.number,
    client_id: app.clientId,
    app_slug: app.slug,
    target_id: account.number,
    target_type: installation.targetType,
    permissions: installation.permissions,
    events: [...installation.events],
    created_at: isoSeconds(installation.createdAt),
    updated_at: isoSeconds(installation.updatedAt),
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: suspendedBy && toSimpleUser(suspendedBy, base),
    suspended_at: installation.suspendedAt === null ? null : isoSeconds(installation.suspendedAt),
  };
}
