// The ping of an app's webhook, when the app is created.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { newCallId } from '../../kernel/id.ts';
import type { HostApp } from '../apps/app.ts';
import { PROVERBS } from '../meta/model.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { isoSeconds } from '../times.ts';
import { hookOfApp } from './app-hook.ts';
import { enqueueHookDeliveries } from './enqueue-deliveries.ts';
import { toHookConfig } from './model.ts';

/** None where the webhook is off. */
export async function enqueueAppPing(
  { db: tx, actor: { now } }: ChangeTransaction,
  app: HostApp,
  owner: RepositoryOwner,
  base: string,
): Promise<void> {
  const hook = hookOfApp(app);
  if (!hook.isActive) return;
  const url = `${base}/app/hook`;
  const payload = {
    zen: PROVERBS[now % PROVERBS.length],
    hook_id: hook.number,
    hook: {
      type: 'App',
      id: hook.number,
      name: 'web',
      active: true,
      events: hook.events,
      config: toHookConfig(hook.config),
      updated_at: isoSeconds(app.updatedAt),
      created_at: isoSeconds(app.createdAt),
      app_id: app.number,
      url: `${url}/config`,
      ping_url: `${url}/pings`,
      deliveries_url: `${url}/deliveries`,
    },
  };
  const delivery = {
    hook,
    guid: newCallId(),
    ownerId: owner.id,
    body: JSON.stringify(payload),
    event: 'ping',
    action: null,
    repository: null,
    isRedelivery: false,
  };
  await enqueueHookDeliveries(tx, [delivery], now);
}
