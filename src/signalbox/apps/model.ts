// Apps and installations as the Signalbox API shows them to those who manage their accounts.
import { installationPath } from '../../host/app-pages/installation-page.ts';
import { appSettingsPath } from '../../host/app-pages/page-forms.ts';
import type { HostApp, Installation } from '../../host/apps/app.ts';
import { asksForMore, heldRights } from '../../host/apps/permissions.ts';
import type { RepositoryOwner } from '../../host/owners/model.ts';
import { OneOf, Type, type Static } from '../../kernel/schema/schema.ts';

const Time = Type.Integer({ description: 'In epoch milliseconds' });

const Rights = {
  permissions: Type.Record(Type.String(), OneOf(['read', 'write', 'admin'])),
  events: Type.Array(Type.String(), { description: 'Those that its webhook receives' }),
};

const PageAddress = (description: string) =>
  Type.String({ description: `${description}: a path of this server, for browsers` });

export const OwnApp = Type.Object(
  {
    id: Type.Integer(),
    slug: Type.String(),
    name: Type.String(),
    description: Type.Optional(Type.String()),
    isPublic: Type.Boolean({ description: 'Whether others than the owner can install it' }),
    ...Rights,
    installations: Type.Integer({ description: 'Of which no more than 1000 are counted' }),
    createdAt: Time,
    settingsPath: PageAddress('Where its owner changes it'),
    page: PageAddress('What everybody sees, and where it is installed'),
  },
  { $id: 'OwnApp' },
);

export const AppInstallation = Type.Object(
  {
    id: Type.Integer(),
    app: Type.Object({ slug: Type.String(), name: Type.String() }),
    account: Type.Object({ login: Type.String(), kind: OneOf(['user', 'organization']) }),
    repositories: OneOf(['all', 'selected']),
    ...Rights,
    asksForMore: Type.Boolean({ description: 'Whether the app asks for what the account has not agreed to' }),
    suspendedAt: Type.Optional(Time),
    createdAt: Time,
    settingsPath: PageAddress('Where its repositories are chosen and new permissions are agreed to'),
  },
  { $id: 'AppInstallation' },
);

export function toOwnApp(app: HostApp, owner: RepositoryOwner, installations: number): Static<typeof OwnApp> {
  const { number, slug, name, description, isPublic, permissions, events, createdAt } = app;
  return {
    id: number,
    slug,
    name,
    ...(description !== null && { description }),
    isPublic,
    permissions: { ...permissions },
    events: [...events],
    installations,
    createdAt,
    settingsPath: appSettingsPath(owner, slug),
    page: `/apps/${slug}`,
  };
}

export function toAppInstallation(
  app: HostApp,
  account: RepositoryOwner,
  installation: Installation,
): Static<typeof AppInstallation> {
  const { number, selection, suspendedAt, createdAt } = installation;
  const held = heldRights(app, installation);
  return {
    id: number,
    app: { slug: app.slug, name: app.name },
    account: { login: account.login, kind: account.type === 'Organization' ? 'organization' : 'user' },
    repositories: selection,
    permissions: { ...held.permissions },
    events: [...held.events],
    asksForMore: asksForMore(app, installation),
    ...(suspendedAt !== null && { suspendedAt }),
    createdAt,
    settingsPath: installationPath(account, number),
  };
}
