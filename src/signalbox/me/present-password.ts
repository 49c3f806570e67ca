// Before people change how they log in, they show that it is them and not somebody at a browser that was left open.
import { Failure } from '../../kernel/failure.ts';
import { chargeLoginAttempt } from '../../kernel/http/pages/open-session.ts';
import type { Call } from '../../kernel/http/route.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { findOpenedByLink } from '../../kernel/identity/sessions/store-sessions.ts';
import { findPasswordHash } from '../../kernel/identity/store-profile.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { problem, Type } from '../../kernel/schema/schema.ts';
import { isPassword } from '../../kernel/secrets/secret.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { sessionOf } from '../sessions/routes.ts';

/** How long a session that a link has opened needs no present password. */
const WITHOUT_CURRENT_MS = 15 * 60 * 1000;

export const PresentPassword = Type.Optional(
  Type.String({
    maxLength: 1024,
    description: 'The present password, where there is one; not needed for 15 minutes after a login by link',
  }),
);

/** Resolves with the hash of the present password, null for none. Attempts count like those to log in. */
export async function checkPresentPassword(
  call: Pick<Call, 'address' | 'now'> & { caller: KnownCaller },
  kernel: Kernel,
  current: string | undefined,
): Promise<string | null> {
  const { caller, now } = call;
  const { hash: session } = sessionOf(caller);
  await chargeLoginAttempt(kernel, call.address);
  const stored = await findPasswordHash(kernel.db, caller.member.id);
  if (stored !== null && !(await isFreshByLink(kernel.db, session, now))) await checkCurrent(current, stored);
  return stored;
}

async function isFreshByLink(db: Db, session: string, now: number): Promise<boolean> {
  const openedAt = await findOpenedByLink(db, session);
  return openedAt !== undefined && now - openedAt < WITHOUT_CURRENT_MS;
}

async function checkCurrent(current: string | undefined, stored: string): Promise<void> {
  if (current === undefined) throw problem('/current', 'is required: it is the present password');
  if (await isPassword(current, stored)) return;
  throw new Failure('invalid', 'The present password is wrong.', {
    code: 'wrong-password',
    fields: [{ field: '/current', message: 'is wrong' }],
  });
}
