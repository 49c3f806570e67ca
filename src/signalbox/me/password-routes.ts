// The password of the caller, which only a browser that is logged in can change.
import { MemberPassword, memberResource } from '../../flags/members/model.ts';
import { lockMembers } from '../../flags/members/store.ts';
import { Failure } from '../../kernel/failure.ts';
import { chargeLoginAttempt } from '../../kernel/http/pages/open-session.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { IDENTITY } from '../../kernel/identity/identity.ts';
import { deleteLoginLinks } from '../../kernel/identity/sessions/store-login-links.ts';
import {
  deleteOtherSessions,
  findOpenedByLink,
  forgetOpenedByLink,
} from '../../kernel/identity/sessions/store-sessions.ts';
import { updatePassword } from '../../kernel/identity/store-members.ts';
import { findPasswordHash } from '../../kernel/identity/store-profile.ts';
import { problem, Type } from '../../kernel/schema/schema.ts';
import { hashPassword, isPassword } from '../../kernel/secrets/secret.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { sessionOf } from '../sessions/routes.ts';

/** How long a session that a link has opened may set a password without the present one. */
const WITHOUT_CURRENT_MS = 15 * 60 * 1000;

const NewPassword = Type.Object(
  {
    current: Type.Optional(
      Type.String({
        maxLength: 1024,
        description:
          'The present password, where there is one; not needed for 15 minutes after a login by link',
      }),
    ),
    password: MemberPassword,
  },
  { $id: 'NewPassword', additionalProperties: false },
);

const putPassword = route(
  {
    id: 'putPassword',
    method: 'PUT',
    path: '/me/password',
    summary: "Set the caller's password",
    description:
      "Ends all of the caller's other sessions, and their open login links. Only for sessions of browsers: no token can do it. " +
      'Attempts count like those to log in.',
    access: 'caller',
    body: NewPassword,
    reply: { 204: null },
  },
  async (call, kernel) => {
    const { caller, body, now } = call;
    const { hash: session } = sessionOf(caller);
    const { member } = caller;
    await chargeLoginAttempt(kernel, call.address);
    const { db, changes } = kernel;
    const before = await findPasswordHash(db, member.id);
    if (before !== null && !(await isFreshByLink(db, session, now))) await checkCurrent(body.current, before);
    // Before the transaction, because it is slow on purpose.
    const after = await hashPassword(body.password);
    await changes.run(call, async (tx) => {
      await lockMembers(tx.db, [member.id]);
      if ((await findPasswordHash(tx.db, member.id)) !== before)
        throw new Failure('conflict', 'The password was changed meanwhile. Log in with the new one.');
      await updatePassword(tx.db, member.id, after, now);
      const ended = await deleteOtherSessions(tx.db, member.id, session);
      await deleteLoginLinks(tx.db, member.id, now);
      await forgetOpenedByLink(tx.db, session);
      tx.record({
        accesses: [{ action: 'updatePassword', resource: memberResource(member) }],
        // Everybody may change their own.
        requirements: [],
        kind: 'member',
        name: member.email,
        verb: 'changed the password of the member',
        ...(ended > 0 && { description: `* Ended ${ended} other sessions` }),
      });
      await tx.invalidate(IDENTITY);
    });
    return reply(204);
  },
);

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

export const passwordRoutes = [putPassword];
