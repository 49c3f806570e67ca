// Deletes apps: at once for everybody who could use them; background work removes their installations and their usage.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { RecurringWork } from '../../kernel/http/protocol.ts';
import { systemActor } from '../../kernel/identity/actor.ts';
import { IDENTITY } from '../../kernel/identity/identity.ts';
import { deleteBotAccount } from '../../kernel/identity/store-bots.ts';
import { passCheckpoint } from '../../kernel/jobs/checkpoint.ts';
import { schedule } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { executeAll } from '../../kernel/storage/execute-all.ts';
import { deleteUsageOf, listUsageCallers } from '../../kernel/versions/usage/store.ts';
import { scheduleDeliveryRemoval } from '../../kernel/webhooks/store-removal.ts';
import { hookRefOf } from '../hooks/hook.ts';
import { actorRemovalStatements } from '../protection/store-actors.ts';
import type { HostApp } from './app.ts';
import { appChange, auditedApp, lockApp } from './change-app.ts';
import { programId } from './program.ts';
import { recordUninstalled } from './record-installation.ts';
import {
  installationRemovalStatements,
  listInstallationsOf,
  lockInstallation,
  listLivingInstallations,
} from './store-installations.ts';
import { updateAppDeleted, deleteAppKeys, listLivingApps } from './store.ts';

/** The due work that removes the installations of a deleted app; its payload is a `RemovedApp`. */
export const REMOVE_APP = 'host.remove-app';

type RemovedApp = Pick<HostApp, 'number' | 'slug'>;

/** Nobody can act as the app or its installations from then on: their tokens find no app. It hears of nothing any more. */
export async function removeApp(tx: ChangeTransaction, name: RemovedApp): Promise<void> {
  const { db, actor } = tx;
  const app = await lockApp(db, name);
  const { number, slug, botId } = app;
  await updateAppDeleted(db, number, actor.now);
  await deleteAppKeys(db, number);
  await executeAll(db, actorRemovalStatements(db, botId));
  await deleteBotAccount(db, botId);
  await deleteUsageOf(db, [programId('app', number)]);
  await scheduleDeliveryRemoval(db, hookRefOf({ number, target: { app: number } }), actor.now);
  const payload = JSON.stringify({ number, slug } satisfies RemovedApp);
  await schedule(
    db,
    { id: `${REMOVE_APP}:${number}`, kind: REMOVE_APP, payload, dueAt: actor.now },
    actor.now,
  );
  tx.record({ ...appChange('deleteApp', app, 'deleted the app'), before: auditedApp(app) });
  await tx.invalidate(IDENTITY);
}

/** Installations in one transaction, so that other changes need not wait for long. */
const BATCH = 50;

/** After a crash it goes on with those that are left. */
export async function removeInstallationsOfApp(
  { db, changes, clock }: Pick<Kernel, 'db' | 'changes' | 'clock'>,
  payload: string,
): Promise<void> {
  const app = JSON.parse(payload) as RemovedApp;
  for (;;) {
    const some = await listInstallationsOf(db, app.number, { offset: 0, limit: BATCH });
    if (some.length === 0) return;
    await changes.run(systemActor({ now: clock.now() }), async (tx) => {
      for (const { number } of some) {
        const installation = await lockInstallation(tx.db, number);
        if (installation === undefined) continue;
        if (installation.removedAt === null) recordUninstalled(tx, app, installation);
        await deleteUsageOf(tx.db, [programId('installation', number)]);
        await executeAll(tx.db, installationRemovalStatements(tx.db, number));
      }
    });
    passCheckpoint('removed installations of an app');
  }
}

const HOUR = 60 * 60 * 1000;

const USAGE_BATCH = 500;

/**
 * Forgets what calls apps and installations made under old versions, once they are gone. Also what a node saved after
 * the end of a program, and that of installations on accounts that ended.
 */
export function programUsageSweep({ db }: Pick<Kernel, 'db'>): RecurringWork {
  return {
    kind: 'host.sweep-program-usage',
    everyMs: HOUR,
    async run(signal) {
      for (const [kind, listLiving] of [
        ['app', listLivingApps],
        ['installation', listLivingInstallations],
      ] as const) {
        const prefix = programId(kind, '');
        for (let after = prefix; !signal.aborted;) {
          const found = await listUsageCallers(db, after, USAGE_BATCH);
          const ids = found.map(({ caller }) => caller).filter((id) => id.startsWith(prefix));
          const numbers = ids.map((id) => Number(id.slice(prefix.length)));
          const living = numbers.length === 0 ? new Set() : await listLiving(db, numbers);
          await deleteUsageOf(
            db,
            ids.filter((_, index) => !living.has(numbers[index]!)),
          );
          if (ids.length < USAGE_BATCH) break;
          after = ids.at(-1)!;
        }
      }
    },
  };
}
