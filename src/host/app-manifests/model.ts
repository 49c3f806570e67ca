// The reply that shows a new app with its secrets, once.
import { Nullable, Type, type Static } from '../../kernel/schema.ts';
import { nodeId } from '../node-id.ts';
import { SimpleUser, toSimpleUser } from '../owners/model.ts';
import { isoSeconds } from '../times.ts';
import type { ConvertedApp } from './convert-manifest.ts';

export const ManifestConversion = Type.Object(
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
    permissions: Type.Record(Type.String(), Type.String()),
    events: Type.Array(Type.String()),
    client_secret: Type.String(),
    webhook_secret: Nullable(Type.String({ description: 'Null where the app has no webhook' })),
    pem: Type.String({ description: 'The private key, which the server does not keep' }),
  },
  { $id: 'app-from-manifest' },
);

export function toManifestConversion(
  { app, owner, secrets }: ConvertedApp,
  base: string,
): Static<typeof ManifestConversion> {
  return {
    id: app.number,
    slug: app.slug,
    node_id: nodeId('Integration', app.number),
    client_id: app.clientId,
    owner: toSimpleUser(owner, base),
    name: app.name,
    description: app.description,
    external_url: app.externalUrl,
    html_url: `${new URL(base).origin}/apps/${app.slug}`,
    created_at: isoSeconds(app.createdAt),
    updated_at: isoSeconds(app.updatedAt),
    permissions: app.permissions,
    events: [...app.events],
    client_secret: secrets.clientSecret,
    webhook_secret: secrets.webhookSecret,
    pem: secrets.pem,
  };
}
