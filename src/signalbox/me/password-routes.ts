// The password of the caller, which only a browser that is logged in can change.
import { MemberPassword, memberResource } from '../../flags/members/model.ts';
import { lockMembers } from '../../flags/members/store.ts';
import { Failure } from '../../kernel/failure.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { IDENTITY } from '../../kernel/identity/identity.ts';
import { deleteLoginLinks } from '../../kernel/identity/sessions/store-login-links.ts';
import { deleteOtherSessions, forgetOpenedByLink } from '../../kernel/identity/sessions/store-sessions.ts';
import { checkPasswordRules } from '../../kernel/identity/password-rules.ts';
import { updatePassword } from '../../kernel/identity/store-members.ts';
import { findPasswordHash } from '../../kernel/identity/store-profile.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { hashPassword } from '../../kernel/secrets/secret.ts';
import { sessionOf } from '../sessions/routes.ts';
import { checkPresentPassword, PresentPassword } from './present-password.ts';

const NewPassword = Type.Object(
  {
    current: PresentPassword,
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
    const { changes } = kernel;
    const before = await checkPresentPassword(call, kernel, body.current);
    checkPasswordRules(body.password, member, kernel.settings);
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

export const passwordRoutes = [putPassword];
