// The route that triggers call: everyone who knows the URL can make the change of its trigger, and no other.
import { systemActor } from '../../kernel/identity/actor.ts';
import { Failure } from '../../kernel/failure.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { requireJson } from '../protocol.ts';
import { applyPlan } from '../planned-changes/apply-plan.ts';
import { findLocked, lockFlagInEnvironment } from '../planned-changes/find-flag-in-environment.ts';
import { isSecretOf, type Trigger } from './model.ts';
import { updateFiredCount, findTrigger } from './store.ts';

const ROOT = '/webhook/triggers';

/** `base` is the public URL of the server. */
export function triggerUrl(base: string, { id }: Trigger, secret: string): string {
  return `${base}${ROOT}/${id}/${secret}`;
}

/** The path is the credential: headers that alerting services send are not read as credentials. */
export function isTriggerPath(url: string): boolean {
  return url.startsWith(`/api/v2${ROOT}/`);
}

const fire = route(
  {
    id: 'fireTrigger',
    method: 'POST',
    path: `${ROOT}/{id}/{secret}`,
    summary: 'Change a flag as a trigger says',
    description: 'Needs no token: the URL is the secret. Any body of JSON is taken, and not looked at.',
    access: 'anyone',
    params: Type.Object({ id: Type.String(), secret: Type.String() }),
    consumes: () => ({ 'application/json': Type.Unknown({ description: 'Is not looked at' }) }),
    streams: true,
    reply: { 204: null },
  },
  async (call, kernel) => {
    const { changes, db } = kernel;
    const { id, secret } = call.params;
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = call.headers;
    if (length !== '0' || encoding !== undefined)
      requireJson(call.headers['content-type'] as string | undefined);
    requireGood(await findTrigger(db, id), secret);
    await changes.run(systemActor({ now: call.now, id: call.id }), async (tx) => {
      const held = await findLocked(tx.db, id, findTrigger, lockFlagInEnvironment);
      const trigger = requireGood(held?.item, secret);
      const comment = trigger.comment ?? `Trigger ${trigger.integrationKey} ${id}`;
      await applyPlan(tx, held!.target, trigger, {
        comment,
        approvedIn: held!.target.environment.key,
      });
      await updateFiredCount(tx.db, trigger, call.now);
    });
    return reply(204);
  },
);

/** An unknown trigger and a wrong secret give the same error. */
function requireGood(trigger: Trigger | undefined, secret: string): Trigger {
  const isGood = isSecretOf(trigger ?? { hash: NOTHING }, secret);
  if (trigger === undefined || !isGood)
    throw new Failure('not-found', 'Invalid resource identifier: there is no such trigger');
  if (!trigger.isOn) throw new Failure('forbidden', 'The trigger is disabled.');
  return trigger;
}

/** As long as a hash, so that an unknown trigger takes the same time. No secret has it. */
const NOTHING = '-'.repeat(43);

export const fireRoutes = [fire];
