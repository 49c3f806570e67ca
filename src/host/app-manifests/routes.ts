// The conversion of an app manifest: the caller who has the code gets the app with its keys, which are shown once.
import { Failure } from '../../kernel/failure.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { actorOf } from '../../kernel/identity/actor.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type, Nullable, type Static } from '../../kernel/schema/schema.ts';
import { hashSecret } from '../../kernel/secrets/secret.ts';
import { generateAppKeys, createApp, type NewAppKeys } from '../apps/change-app.ts';
import { enqueueAppPing } from '../hooks/ping.ts';
import { shareLockOwner } from '../owners/store.ts';
import type { HostApp } from '../apps/app.ts';
import { AppIntegration, toIntegration } from '../apps/model.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { openManagedOwner } from './app-owner.ts';
import { findAppManifest, updateManifestUsed } from './store.ts';

const ManifestConversion = Type.Object(
  {
    ...AppIntegration.properties,
    client_secret: Type.String(),
    webhook_secret: Nullable(Type.String({ description: 'Null where the app has no webhook' })),
    pem: Type.String({ description: 'The private key, which the server does not keep' }),
  },
  { $id: 'app-from-manifest' },
);

interface ConvertedApp {
  app: HostApp;
  owner: RepositoryOwner;
  /** Nobody sees them again. */
  secrets: NewAppKeys['shown'];
}

function toManifestConversion(
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

const createFromManifest = route(
  {
    id: 'apps/create-from-manifest',
    method: 'POST',
    path: '/app-manifests/{code}/conversions',
    summary: 'Turn the code of an app manifest into an app',
    description:
      'Needs no token. A code is good once, for an hour, and comes with the redirect after somebody has agreed to a manifest. ' +
      'The secrets and the private key are shown here only.',
    access: 'anyone',
    params: Type.Object({ code: Type.String() }),
    reply: { 201: ManifestConversion },
    limit: 'integration_manifest',
    cache: 'never',
  },
  async ({ params, now, base }, kernel) =>
    reply(201, toManifestConversion(await convertManifest(kernel, params.code, now), base), {
      'cache-control': 'no-store',
    }),
);

/** Throws for a code that is unknown, used or too old. Whoever agreed must still be allowed to register the app. */
async function convertManifest(kernel: Kernel, code: string, now: number): Promise<ConvertedApp> {
  const { db } = kernel;
  const codeHash = hashSecret(code);
  const agreed = await findAppManifest(db, codeHash, now);
  const caller = agreed && (await kernel.identity.callerOfAccount(db, agreed.creatorId, now));
  if (agreed === undefined || caller === undefined) throw unknownCode();
  const owner = await openManagedOwner(db, caller, agreed.ownerId).catch((error: unknown) => {
    throw error instanceof Failure ? unknownCode() : error;
  });
  const { manifest } = agreed;
  // Only for a good code: generating keys takes much time of a processor.
  const keys = await generateAppKeys(kernel, manifest.hook.url !== null);
  const app = await kernel.changes.run(actorOf(caller, now), async (tx) => {
    await shareLockOwner(tx.db, owner);
    if (!(await updateManifestUsed(tx.db, codeHash, now))) throw unknownCode();
    const created = await createApp(tx, {
      ...manifest,
      ownerId: owner.id,
      hook: { ...manifest.hook, contentType: 'json', insecureSsl: false },
      keys: keys.kept,
    });
    await enqueueAppPing(tx, created, owner, kernel.publicUrl);
    return created;
  });
  return { app, owner, secrets: keys.shown };
}

function unknownCode(): Failure {
  return new Failure('not-found', 'The code was never issued, was used, or is older than an hour');
}

export const appManifestRoutes = [createFromManifest];
