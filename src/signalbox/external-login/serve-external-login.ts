// The pages between the login and the identity provider: the way there, and the way back.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../kernel/failure.ts';
import { backTo, EXTERNAL_LOGIN_PATH, goOn } from '../../kernel/http/pages/login.ts';
import { chargeLoginAttempt } from '../../kernel/http/pages/open-session.ts';
import { showErrorsAsPages } from '../../kernel/http/pages/session-pages.ts';
import { findMemberIdOf } from '../../kernel/identity/external-logins/store.ts';
import { findMember, type Member } from '../../kernel/identity/store-members.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { endedIntentCookie, intentCookie, readIntent, sealProof, type ExternalIntent } from './intent.ts';
import { createExternalMember } from './new-member.ts';
import type { ExternalIdentity, LoginProvider } from './provider.ts';

const CALLBACK = `${EXTERNAL_LOGIN_PATH}/callback`;
/** Where a connection is completed, by a call with the session of the page. */
const SETTINGS_PAGE = '/console/account/settings';

export function callbackAt(publicUrl: string): string {
  return publicUrl + CALLBACK;
}

export function serveExternalLogin(app: FastifyInstance, kernel: Kernel): void {
  const { loginProvider: provider } = kernel.services;
  if (provider === undefined) return;
  void app.register((scope, _options, done) => {
    showErrorsAsPages(scope, kernel, 'external login');
    scope.get<{ Querystring: { return?: string | string[] } }>(
      EXTERNAL_LOGIN_PATH,
      async (request, reply) => {
        await chargeLoginAttempt(kernel, request.ip);
        const { url, checks } = await provider.begin(callbackAt(kernel.publicUrl), kernel.clock.now());
        const back = backTo(kernel, [request.query.return ?? ''].flat()[0]);
        const cookie = await intentCookie(kernel, { ...checks, back });
        return redirect(reply, url, cookie);
      },
    );
    scope.get(CALLBACK, async (request, reply) => {
      await chargeLoginAttempt(kernel, request.ip);
      const intent = readIntent(kernel, request.headers);
      if (intent === undefined)
        throw new Failure(
          'unauthenticated',
          'This login was begun elsewhere, or too long ago. Begin it again.',
        );
      // Whatever follows, it is used up.
      void reply.header('set-cookie', endedIntentCookie(kernel));
      const answer = new URL(request.url, kernel.publicUrl);
      const identity = await provider.finish(answer, intent, kernel.clock.now());
      return await comeBack(request, reply, { kernel, provider, intent, identity });
    });
    done();
  });
}

interface Arrival {
  kernel: Kernel;
  provider: LoginProvider;
  intent: ExternalIntent;
  identity: ExternalIdentity;
}

async function comeBack(
  request: FastifyRequest,
  reply: FastifyReply,
  { kernel, provider, intent, identity }: Arrival,
) {
  if ('memberId' in intent) {
    const proof = await sealProof(kernel, { ...identity, memberId: intent.memberId });
    return redirect(reply, `${SETTINGS_PAGE}?${new URLSearchParams({ connect: proof }).toString()}`);
  }
  const member = (await findConnected(kernel, identity)) ?? (await createExternalMember(kernel, identity));
  if (member === undefined) {
    const { name } = provider.settings;
    throw new Failure(
      'denied',
      `Nobody here is connected with your account at ${name}. Log in another way, and connect it in your settings.`,
    );
  }
  return await goOn(request, reply, member, kernel, intent.back);
}

async function findConnected({ db }: Kernel, identity: ExternalIdentity): Promise<Member | undefined> {
  const id = await findMemberIdOf(db, identity);
  return id === undefined ? undefined : await findMember(db, { id });
}

function redirect(reply: FastifyReply, location: string, cookie?: string): FastifyReply {
  if (cookie !== undefined) void reply.header('set-cookie', cookie);
  return reply
    .headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    .redirect(location, 303);
}
