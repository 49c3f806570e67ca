// Login from a browser by one-time link or password, and logout; the pages work without scripts.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure, type FailureKind } from '../failure.ts';
import { showPage } from '../html.ts';
import type { Kernel } from '../kernel.ts';
import { retrySeconds, type Allowance } from '../limit-window.ts';
import { anonymousAt } from './caller.ts';
import { cookieOf } from './cookie.ts';
import { isLocalPath } from './login-return.ts';
import { linkPage, loginPage, messagePage, welcomePage } from './login-page.ts';
import { checkPassword, type Member } from './store-members.ts';
import {
  deleteSession,
  insertSession,
  SESSION_COOKIE,
  SESSION_MS,
  spendLoginLink,
} from './store-sessions.ts';

const FORM_BYTES = 32 * 1024;

/** The limit on password attempts from one address: against guessing, and because each attempt costs much time. */
export const LOGIN_CATEGORY = 'login';
export const LOGIN_ALLOWANCE: Allowance = { anonymous: 10, known: 10, seconds: 60 };

const STATUS: Partial<Record<FailureKind, number>> = {
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  exhausted: 429,
  unavailable: 503,
};

export function serveLogin(app: FastifyInstance, kernel: Kernel): void {
  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: FORM_BYTES },
      (_request, body, parsed) => parsed(null, new URLSearchParams(body as string)),
    );
    scope.setErrorHandler((error: Error, request, reply) => {
      const { statusCode = 500 } = error as { statusCode?: number };
      const status = error instanceof Failure ? (STATUS[error.kind] ?? 500) : statusCode;
      if (status >= 500) kernel.log.error({ err: error }, 'login failed');
      else refuseIn(kernel, request, status);
      const words =
        error instanceof Failure && status !== 500
          ? error.message
          : 'This did not work. Go back and try again.';
      const headers = error instanceof Failure ? error.details.headers : undefined;
      const page = messagePage(words, kernel.publicUrl, kernel.program);
      return showPage(reply.headers(headers ?? {}), status, page);
    });

    scope.get<{ Querystring: { return?: string | string[] } }>('/session', async (request, reply) => {
      const back = backTo([request.query.return ?? ''].flat()[0]);
      const member = await sessionMember(request, kernel);
      return showPage(
        reply,
        200,
        member === undefined
          ? loginPage({ back }, kernel.program)
          : welcomePage(member.username, kernel.publicUrl),
      );
    });
    // Opening the link changes nothing: programs that preview links in messages must not spend it.
    scope.get<{ Params: { link: string } }>('/session/:link', (request, reply) =>
      showPage(reply, 200, linkPage(request.params.link)),
    );
    scope.post('/session', async (request, reply) => {
      checkSameOrigin(request, kernel);
      const form = formOf(request);
      const link = form.get('link');
      if (link !== null) return letIn(request, reply, await memberByLink(link, kernel), kernel);
      const name = form.get('name') ?? '';
      const back = backTo(form.get('return') ?? '');
      await chargeTry(request, kernel);
      const member = await checkPassword(kernel.db, name, form.get('password') ?? '');
      if (member !== undefined) return letIn(request, reply, member, kernel, back);
      refuseIn(kernel, request, 401);
      const problem = 'The name or the password is wrong.';
      return showPage(reply, 401, loginPage({ name, problem, back }, kernel.program));
    });
    scope.get('/session/end', (_request, reply) => reply.redirect('/session', 303));
    scope.post('/session/end', async (request, reply) => {
      checkSameOrigin(request, kernel);
      const credential = cookieOf(request.headers.cookie);
      if (credential !== undefined) {
        await deleteSession(kernel.db, credential.secret);
        await kernel.identity.invalidate();
      }
      return reply.header('set-cookie', cookie(kernel, '', 0)).redirect('/session', 303);
    });
    done();
  });
}

/** Does not log the name: people type their passwords into that field. */
function refuseIn({ log }: Kernel, { ip }: FastifyRequest, status: number): void {
  log.info({ route: 'session', status, address: ip }, 'login refused');
}

async function letIn({ ip }: FastifyRequest, reply: FastifyReply, member: Member, kernel: Kernel, back = '') {
  kernel.log.info({ route: 'session', status: 303, caller: member.username, address: ip }, 'logged in');
  const secret = await insertSession(kernel.db, member, kernel.clock.now());
  return reply
    .header('set-cookie', cookie(kernel, secret, SESSION_MS / 1000))
    .redirect(back || '/session', 303);
}

/** Empty for anything but a page of this server. */
function backTo(path = ''): string {
  return isLocalPath(path) ? path : '';
}

async function memberByLink(link: string, { db, clock }: Kernel): Promise<Member> {
  const member = await spendLoginLink(db, link, clock.now());
  if (member !== undefined) return member;
  throw new Failure('unauthenticated', 'This link has been used, or its time is over.');
}

async function chargeTry({ ip }: FastifyRequest, { limits, clock }: Kernel): Promise<void> {
  if (!limits.enabled) return;
  const now = clock.now();
  const caller = anonymousAt(ip);
  if ((await limits.draw(LOGIN_CATEGORY, caller, now)) !== undefined) return;
  const seconds = retrySeconds(limits.peek(LOGIN_CATEGORY, caller, now), now);
  throw new Failure('exhausted', `Too many tries from this address. Try again in ${seconds} seconds.`, {
    headers: { 'retry-after': String(seconds) },
  });
}

function formOf({ body }: FastifyRequest): URLSearchParams {
  if (body instanceof URLSearchParams) return body;
  throw new Failure('malformed', 'This page takes only its own form.');
}

/** Another site must not log its visitor in as a different user. */
function checkSameOrigin({ headers }: FastifyRequest, { publicUrl }: Kernel): void {
  if (headers.origin === undefined || headers.origin === new URL(publicUrl).origin) return;
  throw new Failure('forbidden', `This form belongs to ${new URL(publicUrl).origin}. Open it there.`);
}

async function sessionMember({ headers }: FastifyRequest, { identity, clock }: Kernel) {
  const credential = cookieOf(headers.cookie);
  if (credential === undefined) return undefined;
  try {
    return (await identity.identify(credential, clock.now())).member;
  } catch {
    return undefined;
  }
}

function cookie({ publicUrl }: Kernel, secret: string, seconds: number): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${SESSION_COOKIE}=${secret}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
}
