// Webhooks of all APIs whose last delivery failed.
import { listReceivers } from '../../flags/webhooks/store.ts';
import { VIEW_HOOKS } from '../../host/hooks/access.ts';
import { HOST_HOOKS } from '../../host/hooks/hook.ts';
import { repositoryResource } from '../../host/repositories/repository.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import type { Searcher } from '../search/source.ts';
import { receiverResource, viewActionOf } from '../webhooks/model.ts';
import type { Cause } from './model.ts';
import {
  findLastDelivery,
  listFailedActorHooks,
  listFailedHostHooks,
  type LastDelivery,
} from './store-causes.ts';

const WEEK = 7 * 24 * 60 * 60 * 1000;
/** Of the flags API, where all members may have the same ones. */
const MAX_ASKED = 200;

interface FailingHook {
  /** Unique among all. */
  id: string;
  title: string;
  isOn: boolean;
  why: string;
  at: number;
  /** The page with its deliveries; that of repositories' webhooks is yet to be. */
  page: string;
}

function toCause({ id, title, isOn, why, at, page }: FailingHook): Cause {
  return {
    id: `webhook-${id}`,
    kind: 'webhook',
    urgency: 'failing',
    title,
    reason: `The last delivery failed${why === '' ? '' : ` (${why.slice(0, 200)})`}${isOn ? '' : ', and it is switched off'}.`,
    at,
    action: { label: 'Look at deliveries', path: page },
  };
}

/** Also while it is tried again. */
function isFailing(delivery: LastDelivery | undefined, since: number): delivery is LastDelivery {
  return delivery !== undefined && delivery.state !== 'delivered' && delivery.at >= since;
}

function whyOf({ error, status }: LastDelivery): string {
  return error ?? (status === null ? '' : `status ${status}`);
}

export async function findFlagWebhooks({ db, now, can }: Searcher): Promise<Cause[]> {
  const seen = (await listReceivers(db)).filter((one) => can(receiverResource(one), viewActionOf(one)));
  const causes: Cause[] = [];
  for (const { id, name, on: isOn } of seen.slice(0, MAX_ASKED)) {
    const last = await findLastDelivery(db, 'flags', id);
    if (isFailing(last, now - WEEK))
      causes.push(
        toCause({
          id: `flags-${id}`,
          title: name || id,
          isOn,
          why: whyOf(last),
          at: last.at,
          page: `account/webhooks?hook=${id}`,
        }),
      );
  }
  return causes;
}

export async function findActorWebhooks({ db, now, accountId, can }: Searcher): Promise<Cause[]> {
  const hooks = await listFailedActorHooks(db, accountId, now - WEEK);
  return hooks
    .filter(({ id }) => can(`actor-webhook/${id}`, 'viewWebhook'))
    .map(({ id, description, target_kind: kind, target_id: target, is_enabled, at }) =>
      toCause({
        id: `actors-${id}`,
        title: description || `Webhook of ${kind} ${target}`,
        isOn: is_enabled === 1,
        why: '',
        at: at ?? now,
        page: `account/webhooks?tab=actors&hook=${encodeURIComponent(id)}`,
      }),
    );
}

/** Of one's own repositories. */
export async function findHostWebhooks({ db, now, caller, accountId, can }: Searcher): Promise<Cause[]> {
  const owner = { login: accountOf(caller).username };
  const causes: Cause[] = [];
  for (const { number, name, is_active, last_message } of await listFailedHostHooks(db, accountId)) {
    if (!can(repositoryResource({ repository: { name }, owner }), VIEW_HOOKS.action)) continue;
    const last = await findLastDelivery(db, HOST_HOOKS, `${number}`);
    if (isFailing(last, now - WEEK))
      causes.push(
        toCause({
          id: `host-${number}`,
          title: `${owner.login}/${name}`,
          isOn: is_active === 1,
          why: last_message ?? whyOf(last),
          at: last.at,
          page: `repository-webhooks/${number}`,
        }),
      );
  }
  return causes;
}
