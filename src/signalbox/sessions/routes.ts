// Logs browsers in and out, lists and ends sessions, and signs links to what a session may read.
import { Failure } from '../../kernel/failure.ts';
import {
  challengeFor,
  memberByCode,
  WRONG_CODE,
  type ArrivingMember,
} from '../../kernel/http/pages/login-challenge.ts';
import {
  chargeLoginAttempt,
  endSession,
  isOwnOrigin,
  logRefusal,
  memberByLink,
  memberByPassword,
  openSession,
  type Visitor,
} from '../../kernel/http/pages/open-session.ts';
import { reply, route } from '../../kernel/http/route.ts';
import type { KnownCaller, SessionIdentity } from '../../kernel/identity/caller.ts';
import { signResourceLink } from '../../kernel/http/content-origin.ts';
import {
  deleteOtherSessions,
  deleteSessionOf,
  listSessions,
} from '../../kernel/identity/sessions/store-sessions.ts';
import { LINK_PURPOSES } from '../../kernel/identity/sessions/store-login-links.ts';
import { findPasswordHash } from '../../kernel/identity/store-profile.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { cursorPage } from '../cursor-page.ts';
import { requireOwn } from '../own-affairs.ts';

const Time = Type.Integer({ description: 'In epoch milliseconds' });

const Login = Type.Union([
  Type.Object({ name: PlainText({ maxLength: 320 }), password: Type.String({ maxLength: 1024 }) }),
  Type.Object({ link: PlainText({ maxLength: 200, description: 'The last part of a login link' }) }),
  Type.Object({
    challenge: Type.String({ maxLength: 1024, description: 'What the first step has answered' }),
    code: PlainText({ maxLength: 100, description: 'Of the authenticator app, or a recovery code' }),
  }),
]);

const LoginChallenge = Type.Object(
  {
    challenge: Type.String({ description: 'To be sent with a code, within five minutes' }),
    username: Type.String(),
  },
  { $id: 'LoginChallenge' },
);

const OpenedSession = Type.Object(
  {
    secret: Type.String({
      description:
        'The second secret, for the header `x-signalbox-session` of pages; the first is in the cookie',
    }),
    username: Type.String(),
    expiresAt: Time,
    purpose: Type.Optional(
      OneOf(LINK_PURPOSES, { description: 'What the link was for; absent after a password' }),
    ),
    hasPassword: Type.Boolean({ description: 'Whether the member has a password' }),
    mustSetPassword: Type.Boolean({
      description:
        'Whether the member is to choose a password now: the link was made for that. For a quarter of an hour this session ' +
        'needs no present password for it',
    }),
  },
  { $id: 'OpenedSession' },
);

const logIn = route(
  {
    id: 'logIn',
    method: 'POST',
    path: '/session',
    summary: 'Log a browser in',
    description:
      'By password or by a login link, for pages of this server only: the header `Origin` must be its own. Sets the cookie of ' +
      'the session. Where the member has a second factor, the reply is 202 with a challenge, which a second call answers with a code.',
    access: 'anyone',
    isData: true,
    worksOnFullDisk: true,
    body: Login,
    reply: { 201: OpenedSession, 202: LoginChallenge },
  },
  async ({ address, headers, body }, kernel) => {
    const visitor: Visitor = { address, headers };
    requireOwnOrigin(visitor, kernel);
    const member = await findMember(kernel, visitor, body);
    const challenge = 'code' in body ? undefined : await challengeFor(kernel, member);
    if (challenge !== undefined) return reply(202, { challenge, username: member.username });
    const { pageSecret, cookies, expiresAt } = await openSession(kernel, visitor, member);
    const { username, link: purpose } = member;
    const hasPassword = (await findPasswordHash(kernel.db, member.id)) !== null;
    const opened: Static<typeof OpenedSession> = {
      secret: pageSecret,
      username,
      expiresAt,
      ...(purpose !== undefined && { purpose }),
      hasPassword,
      mustSetPassword: purpose === 'reset' || (purpose === 'invitation' && !hasPassword),
    };
    return reply(201, opened, { 'set-cookie': cookies.join('\n') });
  },
);

async function findMember(
  kernel: Kernel,
  visitor: Visitor,
  login: Static<typeof Login>,
): Promise<ArrivingMember> {
  if ('link' in login) return await memberByLink(kernel, login.link);
  if ('code' in login) {
    await chargeLoginAttempt(kernel, visitor.address);
    const member = await memberByCode(kernel, login.challenge, login.code);
    if (member !== undefined) return member;
    logRefusal(kernel, visitor, 401);
    throw new Failure('unauthenticated', WRONG_CODE, { code: 'wrong-code' });
  }
  const member = await memberByPassword(kernel, visitor, login);
  if (member !== undefined) return member;
  logRefusal(kernel, visitor, 401);
  throw new Failure('unauthenticated', 'The name or the password is wrong.', { code: 'wrong-password' });
}

function requireOwnOrigin(visitor: Visitor, kernel: Kernel): void {
  if (isOwnOrigin(visitor, kernel)) return;
  const { origin } = new URL(kernel.publicUrl);
  throw new Failure('forbidden', `Only pages of ${origin} log browsers in. Programs send a token instead.`);
}

const logOut = route(
  {
    id: 'logOut',
    method: 'DELETE',
    path: '/session',
    summary: 'Log this browser out',
    description: 'Ends the session whose cookie is sent.',
    access: 'caller',
    isData: true,
    reply: { 204: null },
  },
  async ({ caller, headers }, kernel) => {
    sessionOf(caller);
    return reply(204, undefined, { 'set-cookie': await endSession(kernel, { headers }) });
  },
);

const Session = Type.Object(
  {
    id: Type.String(),
    isCurrent: Type.Boolean({ description: 'Whether this call came with it' }),
    createdAt: Time,
    seenAt: Type.Optional(Time),
    expiresAt: Time,
    address: Type.Optional(Type.String({ description: 'Where it was opened' })),
    agent: Type.Optional(Type.String({ description: 'The browser, as it names itself' })),
  },
  { $id: 'Session' },
);

const listOwnSessions = route(
  {
    id: 'listSessions',
    method: 'GET',
    path: '/sessions',
    summary: "List the caller's sessions",
    description: 'The newest first.',
    access: { action: 'viewSession' },
    list: Session,
  },
  async (call, { db }) => {
    const { caller, now } = call;
    const sessions = await listSessions(db, requireOwn(call, 'sessions'), now);
    return cursorPage(
      sessions.map(({ hash, createdAt, seenAt, expiresAt, address, agent }) => ({
        id: hash,
        isCurrent: hash === caller.session?.hash,
        createdAt,
        ...(seenAt !== null && { seenAt }),
        expiresAt,
        ...(address !== null && { address }),
        ...(agent !== null && { agent }),
      })),
    );
  },
);

const deleteOwnSession = route(
  {
    id: 'deleteSession',
    method: 'DELETE',
    path: '/sessions/{id}',
    summary: "End one of the caller's sessions",
    access: { action: 'deleteSession' },
    isData: true,
    params: Type.Object({ id: Type.String() }),
    reply: { 204: null },
  },
  async (call, { db, identity }) => {
    const memberId = requireOwn(call, 'sessions');
    if (!(await deleteSessionOf(db, memberId, call.params.id)))
      throw new Failure('not-found', 'You have no such session');
    await identity.invalidate();
    return reply(204);
  },
);

const deleteOwnSessions = route(
  {
    id: 'deleteSessions',
    method: 'DELETE',
    path: '/sessions',
    summary: "End all of the caller's sessions but this one",
    access: { action: 'deleteSession' },
    isData: true,
    reply: { 200: Type.Object({ ended: Type.Integer() }) },
  },
  async (call, { db, identity }) => {
    const memberId = requireOwn(call, 'sessions');
    const ended = await deleteOtherSessions(db, memberId, call.caller.session?.hash ?? '');
    await identity.invalidate();
    return { ended };
  },
);

const createLink = route(
  {
    id: 'createLink',
    method: 'POST',
    path: '/links',
    summary: 'Sign a link to one resource',
    description:
      'For downloads, images and frames, which can send no header: for 60 seconds, `GET` of this path, ranges included, with ' +
      'the rights of the session. It is a path that is good together with the cookie of the session. What users have stored is ' +
      'at another origin where the server has one for it: then it is a whole URL, which works for everybody who has it.',
    access: 'caller',
    isData: true,
    worksOnFullDisk: true,
    body: Type.Object({
      path: PlainText({ description: 'Path and query on this server' }),
      isDownload: Type.Optional(
        Type.Boolean({
          description: 'Browsers save it; for another origin, where they take no such wish from a page',
        }),
      ),
    }),
    reply: { 201: Type.Object({ url: Type.String(), expiresAt: Time }, { $id: 'Link' }) },
  },
  ({ caller, body: { path, isDownload }, now }, kernel) => {
    const link = signResourceLink(kernel, sessionOf(caller), { path, now, isDownload });
    if (link !== undefined) return reply(201, link);
    throw new Failure('invalid', 'The path must be one of this server', {
      fields: [{ field: '/path', message: 'must be a path of this server' }],
    });
  },
);

export function sessionOf({ session }: KnownCaller): SessionIdentity {
  if (session !== undefined) return session;
  throw new Failure(
    'forbidden',
    'This is for sessions of browsers. A token needs none: send it with the call.',
  );
}

export const sessionRoutes = [
  logIn,
  logOut,
  listOwnSessions,
  deleteOwnSession,
  deleteOwnSessions,
  createLink,
];
