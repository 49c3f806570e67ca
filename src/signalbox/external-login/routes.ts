// The connection of the caller with an account at the identity provider.
import { memberResource } from '../../flags/members/model.ts';
import { lockMembers } from '../../flags/members/store.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { reply, route } from '../../kernel/http/route.ts';
import {
  deleteExternalLogin,
  findExternalLogin,
  insertExternalLogin,
} from '../../kernel/identity/external-logins/store.ts';
import type { Member } from '../../kernel/identity/store-members.ts';
import { findPasswordHash } from '../../kernel/identity/store-profile.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { checkPresentPassword, PresentPassword } from '../me/present-password.ts';
import { sessionOf } from '../sessions/routes.ts';
import { intentCookie, openProof } from './intent.ts';
import { issuerKey, type LoginProvider } from './provider.ts';
import { callbackAt } from './serve-external-login.ts';

const ExternalLogin = Type.Object(
  {
    provider: Type.Optional(
      Type.String({ description: 'What the provider is called; absent where the operator has set up none' }),
    ),
    connected: Type.Optional(
      Type.Object({
        email: Type.Optional(Type.String({ description: 'As the provider named it then' })),
        since: Type.Integer({ description: 'In epoch milliseconds' }),
      }),
    ),
  },
  { $id: 'ExternalLogin' },
);

const getExternalLogin = route(
  {
    id: 'getExternalLogin',
    method: 'GET',
    path: '/me/external-login',
    summary: 'Get whether the caller logs in by the identity provider',
    description: 'Only for sessions of browsers.',
    access: 'caller',
    reply: { 200: ExternalLogin },
  },
  async ({ caller }, { db, services }) => {
    sessionOf(caller);
    const { loginProvider } = services;
    if (loginProvider === undefined) return {};
    const { name: provider, issuer } = loginProvider.settings;
    const found = await findExternalLogin(db, caller.member.id, issuerKey(issuer));
    if (found === undefined) return { provider };
    const { email, createdAt } = found;
    return { provider, connected: { ...(email !== undefined && { email }), since: createdAt } };
  },
);

const beginExternalLogin = route(
  {
    id: 'beginExternalLogin',
    method: 'POST',
    path: '/me/external-login',
    summary: 'Begin to connect the caller with an account at the identity provider',
    description:
      'Replies with the address at the provider to which the browser goes. It comes back to the settings with a proof for the ' +
      'call that completes it. Only for sessions of browsers. Attempts count like those to log in.',
    access: 'caller',
    isData: true,
    body: Type.Object(
      { current: PresentPassword },
      { $id: 'ExternalLoginBeginning', additionalProperties: false },
    ),
    reply: { 201: Type.Object({ url: Type.String() }, { $id: 'ExternalLoginAddress' }) },
  },
  async (call, kernel) => {
    const provider = providerOf(kernel);
    await checkPresentPassword(call, kernel, call.body.current);
    const { url, checks } = await provider.begin(callbackAt(kernel.publicUrl), call.now);
    const cookie = await intentCookie(kernel, { ...checks, memberId: call.caller.member.id });
    return reply(201, { url }, { 'set-cookie': cookie });
  },
);

const connectExternalLogin = route(
  {
    id: 'connectExternalLogin',
    method: 'PUT',
    path: '/me/external-login',
    summary: 'Connect the caller with the account at the identity provider',
    description:
      'With the proof that the browser came back with, within ten minutes. Only for sessions of browsers.',
    access: 'caller',
    body: Type.Object(
      { proof: Type.String({ maxLength: 4096 }) },
      { $id: 'ExternalLoginProof', additionalProperties: false },
    ),
    reply: { 204: null },
  },
  async (call, kernel) => {
    const { caller, body, now } = call;
    sessionOf(caller);
    const { member } = caller;
    const { name } = providerOf(kernel).settings;
    const proof = openProof(kernel, body.proof);
    if (proof === undefined || proof.memberId !== member.id)
      throw new Failure(
        'invalid',
        'The time for it is over, or it is for another account. Connect it again.',
      );
    const { issuer, subject, email } = proof;
    await kernel.changes.run(call, async (tx) => {
      await lockMembers(tx.db, [member.id]);
      if (!(await insertExternalLogin(tx.db, { issuer, subject, memberId: member.id, email }, now)))
        throw new Failure(
          'conflict',
          `You are connected with an account at ${name}, or somebody else here is with this one.`,
        );
      recordOwn(tx, member, 'createExternalLogin', 'connected with the identity provider the member');
    });
    return reply(204);
  },
);

const deleteOwnExternalLogin = route(
  {
    id: 'deleteExternalLogin',
    method: 'DELETE',
    path: '/me/external-login',
    summary: 'End the connection of the caller with the identity provider',
    description:
      'Only for sessions of browsers, and for those who have a password: they could not log in again.',
    access: 'caller',
    reply: { 204: null },
  },
  async (call, kernel) => {
    const { caller } = call;
    sessionOf(caller);
    const { member } = caller;
    const { issuer } = providerOf(kernel).settings;
    await kernel.changes.run(call, async (tx) => {
      await lockMembers(tx.db, [member.id]);
      if ((await findPasswordHash(tx.db, member.id)) === null)
        throw new Failure('conflict', 'You have no password. Set one first, so that you can log in again.');
      if (!(await deleteExternalLogin(tx.db, member.id, issuerKey(issuer)))) return;
      recordOwn(
        tx,
        member,
        'deleteExternalLogin',
        'ended the connection with the identity provider of the member',
      );
    });
    return reply(204);
  },
);

function providerOf({ services: { loginProvider } }: Kernel): LoginProvider {
  if (loginProvider !== undefined) return loginProvider;
  throw new Failure('conflict', 'This server has no identity provider. Its operator can set one up.');
}

function recordOwn(tx: ChangeTransaction, member: Member, action: string, verb: string): void {
  tx.record({
    accesses: [{ action, resource: memberResource(member) }],
    // Everybody may change their own.
    requirements: [],
    kind: 'member',
    name: member.email,
    verb,
  });
}

export const externalLoginRoutes = [
  getExternalLogin,
  beginExternalLogin,
  connectExternalLogin,
  deleteOwnExternalLogin,
];
