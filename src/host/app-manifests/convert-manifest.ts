// Turns the code of a manifest into an app, once.
import { actorOf } from '../../kernel/identity/actor.ts';
import { Failure } from '../../kernel/failure.ts';
import { hashSecret } from '../../kernel/secrets/secret.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { HostApp } from '../apps/app.ts';
import { generateAppKeys, type NewAppKeys, createApp } from '../apps/change-app.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { shareLockOwner } from '../owners/store.ts';
import { enqueueAppPing } from '../hooks/app-ping.ts';
import { openManagedOwner } from './app-owner.ts';
import { findAppManifest, updateManifestUsed } from './store.ts';

export interface ConvertedApp {
  app: HostApp;
  owner: RepositoryOwner;
  /** Nobody sees them again. */
  secrets: NewAppKeys['shown'];
}

/** Throws for a code that is unknown, used or too old. Whoever agreed must still be allowed to register the app. */
export async function convertManifest(kernel: Kernel, code: string, now: number): Promise<ConvertedApp> {
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
