// The reply that shows a new app with its secrets, once.
import { Nullable, Type, type Static } from '../../kernel/schema/schema.ts';
import type { HostApp } from '../apps/app.ts';
import type { NewAppKeys } from '../apps/change-app.ts';
import { AppIntegration, toIntegration } from '../apps/model.ts';
import type { RepositoryOwner } from '../owners/model.ts';

export const ManifestConversion = Type.Object(
  {
    ...AppIntegration.properties,
    client_secret: Type.String(),
    webhook_secret: Nullable(Type.String({ description: 'Null where the app has no webhook' })),
    pem: Type.String({ description: 'The private key, which the server does not keep' }),
  },
  { $id: 'app-from-manifest' },
);

export interface ConvertedApp {
  app: HostApp;
  owner: RepositoryOwner;
  /** Nobody sees them again. */
  secrets: NewAppKeys['shown'];
}

export function toManifestConversion(
  { app, owner, secrets }: ConvertedApp,
  base: string,
): Static<typeof ManifestConversion> {
  return {
    ...toIntegration(app, owner, base),
    client_secret: secrets.clientSecret,
    webhook_secret: secrets.webhookSecret,
    pem: secrets.pem,
  };
}
