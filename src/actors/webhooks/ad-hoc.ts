// Ad-hoc webhooks: those that a call brings along which starts a run, for that run alone.
import { accountOf } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Failure } from '../../kernel/failure.ts';
import { checker, Type, type Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Run } from '../runs/model.ts';
import { requireWebhooks, actorWebhookResource, type WebhookCall, makerOf } from './access.ts';
import { checkRequestUrl } from './change-webhook.ts';
import { AdHocWebhooks, checkIdempotencyKey, invalidWebhook, newFields, type ActorWebhook } from './model.ts';
import { findWebhookByKey, insertActorWebhooks, lockActorWebhooks, type NewWebhook } from './store.ts';

/** The parameter of every call that starts a run. */
export const WEBHOOKS_QUERY = {
  webhooks: Type.Optional(
    Type.String({ description: 'Webhooks for this run alone: a JSON array of them in base64' }),
  ),
};

const checkShape = checker(AdHocWebhooks, 'query.webhooks');
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** The webhooks of a run that does not exist yet, checked. */
export interface AdHocDrafts extends Pick<NewWebhook, 'userId' | 'parentRunId' | 'maker'> {
  drafts: readonly Pick<NewWebhook, 'fields' | 'idempotencyKey'>[];
}

/** Checks the parameter; undefined where it is absent or names none. */
export function readAdHocWebhooks(
  kernel: Kernel,
  call: WebhookCall,
  parameter: string | undefined,
): AdHocDrafts | undefined {
  if (parameter === undefined || parameter === '') return undefined;
  const sent = parse(parameter);
  if (sent.length === 0) return undefined;
  const { caller } = call;
  const drafts = sent.map((one) => {
    const { idempotencyKey = null } = one;
    if (idempotencyKey !== null) checkIdempotencyKey(idempotencyKey);
    checkRequestUrl(kernel, one.requestUrl);
    return { fields: newFields(one), idempotencyKey };
  });
  // The run does not exist yet; a program has the right for the runs that it starts.
  const parentRunId = caller.program?.id ?? null;
  const target = { kind: 'run', id: '*' } as const;
  requireWebhooks(call, 'createWebhook', actorWebhookResource({ target, parentRunId }));
  return { userId: accountOf(caller).id, parentRunId, maker: makerOf(caller), drafts };
}

/** Belongs into the transaction that creates the run. */
export async function insertAdHocWebhooks(
  tx: Db,
  { userId, parentRunId, maker, drafts }: AdHocDrafts,
  run: Pick<Run, 'id' | 'startedAt'>,
): Promise<ActorWebhook[]> {
  const target = { kind: 'run', id: run.id } as const;
  const fresh: NewWebhook[] = [];
  const keys = new Set<string>();
  if (drafts.some(({ idempotencyKey }) => idempotencyKey !== null)) await lockActorWebhooks(tx, userId);
  for (const { fields, idempotencyKey } of drafts) {
    if (idempotencyKey !== null) {
      if (keys.has(idempotencyKey) || (await findWebhookByKey(tx, userId, idempotencyKey)) !== undefined)
        continue;
      keys.add(idempotencyKey);
    }
    fresh.push({ userId, fields, target, parentRunId, isAdHoc: true, idempotencyKey, maker });
  }
  return fresh.length === 0 ? [] : await insertActorWebhooks(tx, fresh, run.startedAt);
}

function parse(parameter: string): Static<typeof AdHocWebhooks> {
  let sent: unknown;
  try {
    // A plus sign that was not encoded arrives as a space.
    const base64 = parameter.replaceAll(' ', '+');
    if (!BASE64.test(base64)) throw new Error('no base64');
    sent = JSON.parse(Buffer.from(base64, 'base64').toString('utf8'));
  } catch {
    throw invalidWebhook('query.webhooks', 'must be a JSON array in base64');
  }
  try {
    checkShape(sent);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure('invalid', error.message, { ...error.details, code: 'schema-validation' });
  }
  return sent as Static<typeof AdHocWebhooks>;
}
