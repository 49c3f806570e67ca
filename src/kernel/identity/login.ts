// Logging in from a browser: by the one-time link or by password, and out again; small pages that work without scripts.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Failure } from '../failure.ts';
import { showPage } from '../html.ts';
import type { Kernel } from '../kernel.ts';
import { cookieOf } from './cookie.ts';
import { loginPage, messagePage, welcomePage } from './login-page.ts';
import { checkPassword } from './members.ts';
import { closeSession, openSession, SESSION_COOKIE, SESSION_MS, spendLoginLink } from './sessions.ts';

const FORM_BYTES = 8 * 1024;

export function serveLogin(app: FastifyInstance, kernel: Kernel): void {
  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: FORM_BYTES },
      (_request, body, parsed) => parsed(null, new URLSearchParams(body as string)),
    );
    scope.setErrorHandler((error: Error, _request, reply) => {
      if (error instanceof Failure)
        return showPage(reply, error.kind === 'forbidden' ? 403 : 401, messagePage(error.message));
      const { statusCode = 500 } = error as { statusCode?: number };
      if (statusCode >= 500) kernel.log.error({ err: error }, 'login failed');
      return showPage(reply, statusCode, messagePage('This did not work. Go back and try again.'));
    });

    scope.get('/session', async (request, reply) => {
      const member = await sessionMember(request, kernel);
      return showPage(
        reply,
        200,
        member === undefined ? loginPage({}) : welcomePage(member.username, kernel.publicUrl),
      );
    });
    // The link itself changes nothing: programs that look at links in messages must not spend it.
    scope.get<{ Params: { link: string } }>('/session/:link', (request, reply) =>
      showPage(reply, 200, loginPage({ link: request.params.link })),
    );
    scope.post('/session', async (request, reply) => {
      checkSameOrigin(request, kernel);
      const form = formOf(request);
      const member = await authenticate(form, kernel);
      const secret = await openSession(kernel.db, member, kernel.clock.now());
      return reply.header('set-cookie', cookie(kernel, secret, SESSION_MS / 1000)).redirect('/session', 303);
    });
    scope.post('/session/end', async (request, reply) => {
      checkSameOrigin(request, kernel);
      const credential = cookieOf(request.headers.cookie);
      if (credential !== undefined) {
        await closeSession(kernel.db, credential.secret);
        await kernel.identity.forget();
      }
      return reply.header('set-cookie', cookie(kernel, '', 0)).redirect('/session', 303);
    });
    done();
  });
}

async function authenticate(form: URLSearchParams, { db, clock }: Kernel) {
  const link = form.get('link');
  if (link !== null) {
    const member = await spendLoginLink(db, link, clock.now());
    if (member !== undefined) return member;
    throw new Failure(
      'unauthenticated',
      'This link was used before or is too old. `npm run signalbox status` prints a new one.',
    );
  }
  const member = await checkPassword(db, form.get('name') ?? '', form.get('password') ?? '');
  if (member !== undefined) return member;
  throw new Failure('unauthenticated', 'The name or the password is wrong.');
}

function formOf({ body }: FastifyRequest): URLSearchParams {
  if (body instanceof URLSearchParams) return body;
  throw new Failure('unauthenticated', 'Send the form of this page.');
}

/** Another site's page must not log its visitor in as somebody else. */
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
