// The second factor of the caller: an authenticator app, and recovery codes for the day on which the phone is lost.
import { memberResource } from '../../flags/members/model.ts';
import { lockMembers } from '../../flags/members/store.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { spendCode, WRONG_CODE } from '../../kernel/http/pages/login-challenge.ts';
import { chargeLoginAttempt } from '../../kernel/http/pages/open-session.ts';
import { reply, route, type Call } from '../../kernel/http/route.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { IDENTITY } from '../../kernel/identity/identity.ts';
import { newRecoveryCodes } from '../../kernel/identity/second-factor/recovery-codes.ts';
import {
  confirmSecondFactor,
  countRecoveryCodes,
  deleteSecondFactor,
  findSecondFactor,
  insertSecondFactor,
  replaceRecoveryCodes,
  type SecondFactor,
} from '../../kernel/identity/second-factor/store.ts';
import { findTotpStep, newTotpSecret, totpAddress } from '../../kernel/identity/second-factor/totp.ts';
import { deleteOtherSessions } from '../../kernel/identity/sessions/store-sessions.ts';
import type { Member } from '../../kernel/identity/store-members.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { PlainText, Type } from '../../kernel/schema/schema.ts';
import { sessionOf } from '../sessions/routes.ts';
import { checkPresentPassword, PresentPassword } from './present-password.ts';

const Code = PlainText({
  maxLength: 100,
  description: 'The present code of the authenticator app',
});

const RecoveryCodes = Type.Object(
  {
    recoveryCodes: Type.Array(Type.String(), {
      description: 'Each replaces a code once. Nothing shows them again',
    }),
  },
  { $id: 'RecoveryCodes' },
);

const getSecondFactor = route(
  {
    id: 'getSecondFactor',
    method: 'GET',
    path: '/me/second-factor',
    summary: "Get whether the caller's login needs a code",
    description: 'Only for sessions of browsers.',
    access: 'caller',
    reply: {
      200: Type.Object(
        {
          isActive: Type.Boolean(),
          since: Type.Optional(Type.Integer({ description: 'In epoch milliseconds' })),
          recoveryCodes: Type.Integer({ description: 'How many of them are left' }),
        },
        { $id: 'SecondFactor' },
      ),
    },
  },
  async ({ caller }, { db }) => {
    sessionOf(caller);
    const factor = await findSecondFactor(db, caller.member.id);
    if (factor === undefined || factor.confirmedAt === null) return { isActive: false, recoveryCodes: 0 };
    const recoveryCodes = await countRecoveryCodes(db, caller.member.id);
    return { isActive: true, since: factor.confirmedAt, recoveryCodes };
  },
);

const beginSecondFactor = route(
  {
    id: 'beginSecondFactor',
    method: 'POST',
    path: '/me/second-factor',
    summary: 'Get a secret for an authenticator app',
    description:
      'Nothing asks for codes until one confirms it. A secret that was not confirmed is replaced. Only for sessions of browsers: no ' +
      'token can do it. Attempts count like those to log in.',
    access: 'caller',
    isData: true,
    body: Type.Object(
      { current: PresentPassword },
      { $id: 'SecondFactorBeginning', additionalProperties: false },
    ),
    reply: {
      201: Type.Object(
        {
          secret: Type.String({ description: 'In base32, for apps that it is typed into' }),
          address: Type.String({
            description: 'The same as `otpauth:` address, for a picture that apps read',
          }),
        },
        { $id: 'SecondFactorSecret' },
      ),
    },
  },
  async (call, kernel) => {
    const { caller, body, now } = call;
    const { member } = caller;
    await checkPresentPassword(call, kernel, body.current);
    const secret = newTotpSecret();
    const sealed = await kernel.secrets.seal(secret);
    if (!(await insertSecondFactor(kernel.db, member.id, sealed, now)))
      throw new Failure('conflict', 'You have a second factor. Remove it first, to have another.');
    const issuer = `Signalbox ${new URL(kernel.publicUrl).host}`;
    return reply(201, { secret, address: totpAddress(secret, { issuer, account: member.username }) });
  },
);

const confirmOwnSecondFactor = route(
  {
    id: 'confirmSecondFactor',
    method: 'PUT',
    path: '/me/second-factor',
    summary: 'Confirm the authenticator app by a code',
    description:
      "From now on the caller's logins need a code. Ends all of their other sessions. Only for sessions of browsers.",
    access: 'caller',
    body: Type.Object({ code: Code }, { $id: 'SecondFactorCode', additionalProperties: false }),
    reply: { 200: RecoveryCodes },
  },
  async (call, kernel) => {
    const { caller, body, now } = call;
    const { hash: session } = sessionOf(caller);
    const { member } = caller;
    const { db, secrets, changes } = kernel;
    await chargeLoginAttempt(kernel, call.address);
    const factor = await findSecondFactor(db, member.id);
    if (factor === undefined || factor.confirmedAt !== null)
      throw new Failure('conflict', 'There is no secret that waits for a code. Get one first.');
    const step = findTotpStep(secrets.open(factor.sealed), body.code.replaceAll(/\s/g, ''), now, 0);
    if (step === undefined) throw wrongCode();
    const codes = newRecoveryCodes();
    await changes.run(call, async (tx) => {
      await lockMembers(tx.db, [member.id]);
      if (!(await confirmSecondFactor(tx.db, member.id, { sealed: factor.sealed, step, now })))
        throw new Failure('conflict', 'The secret was replaced meanwhile. Begin again.');
      await replaceRecoveryCodes(tx.db, member.id, codes);
      const ended = await deleteOtherSessions(tx.db, member.id, session);
      recordOwn(tx, member, 'createSecondFactor', 'turned on the second factor of the member', ended);
      await tx.invalidate(IDENTITY);
    });
    return { recoveryCodes: codes };
  },
);

const replaceOwnRecoveryCodes = route(
  {
    id: 'replaceRecoveryCodes',
    method: 'POST',
    path: '/me/second-factor/recovery-codes',
    summary: 'Get new recovery codes',
    description: 'Those from before are worth nothing then. Only for sessions of browsers.',
    access: 'caller',
    body: Type.Object({ code: Code }, { $id: 'RecoveryCodesDemand', additionalProperties: false }),
    reply: { 201: RecoveryCodes },
  },
  async (call, kernel) => {
    const { member } = call.caller;
    await requireCode(call, kernel, call.body.code);
    const codes = newRecoveryCodes();
    await kernel.changes.run(call, async (tx) => {
      await lockMembers(tx.db, [member.id]);
      await replaceRecoveryCodes(tx.db, member.id, codes);
      recordOwn(tx, member, 'updateSecondFactor', 'replaced the recovery codes of the member');
    });
    return reply(201, { recoveryCodes: codes });
  },
);

const removeOwnSecondFactor = route(
  {
    id: 'removeSecondFactor',
    method: 'POST',
    path: '/me/second-factor/removal',
    summary: "Remove the caller's second factor",
    description: 'With a code, or a recovery code. Only for sessions of browsers.',
    access: 'caller',
    body: Type.Object({ code: Code }, { $id: 'SecondFactorRemoval', additionalProperties: false }),
    reply: { 204: null },
  },
  async (call, kernel) => {
    const { member } = call.caller;
    await requireCode(call, kernel, call.body.code);
    await kernel.changes.run(call, async (tx) => {
      await lockMembers(tx.db, [member.id]);
      await deleteSecondFactor(tx.db, member.id);
      recordOwn(tx, member, 'deleteSecondFactor', 'removed the second factor of the member');
    });
    return reply(204);
  },
);

/** Uses the code up. */
async function requireCode(
  { caller, address }: Pick<Call, 'address'> & { caller: KnownCaller },
  kernel: Kernel,
  code: string,
): Promise<SecondFactor> {
  sessionOf(caller);
  await chargeLoginAttempt(kernel, address);
  const factor = await findSecondFactor(kernel.db, caller.member.id);
  if (factor === undefined || factor.confirmedAt === null)
    throw new Failure('conflict', 'You have no second factor.');
  if (!(await spendCode(kernel, caller.member.id, factor, code))) throw wrongCode();
  return factor;
}

function wrongCode(): Failure {
  return new Failure('invalid', WRONG_CODE, {
    code: 'wrong-code',
    fields: [{ field: '/code', message: 'is wrong, or was used before' }],
  });
}

function recordOwn(tx: ChangeTransaction, member: Member, action: string, verb: string, ended = 0): void {
  tx.record({
    accesses: [{ action, resource: memberResource(member) }],
    // Everybody may change their own.
    requirements: [],
    kind: 'member',
    name: member.email,
    verb,
    ...(ended > 0 && { description: `* Ended ${ended} other sessions` }),
  });
}

export const secondFactorRoutes = [
  getSecondFactor,
  beginSecondFactor,
  confirmOwnSecondFactor,
  replaceOwnRecoveryCodes,
  removeOwnSecondFactor,
];
