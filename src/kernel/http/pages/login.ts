// Login from a browser by one-time link or password, logout, and links to what a session may read, with their pages.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure, type FailureKind } from '../../failure.ts';
import { showPage, showScriptedPage, escapeHtml, htmlPage, PageScript, ROOT_SCRIPT } from './html.ts';
import type { Kernel } from '../../kernel.ts';
import { signResourceLink } from '../content-origin.ts';
import { challengeFor, memberByCode, WRONG_CODE, type ArrivingMember } from './login-challenge.ts';
import { publicPathOf, withoutPublicPath } from '../public-path.ts';
import {
  chargeLoginAttempt,
  endSession,
  isOwnOrigin,
  logRefusal,
  memberByLink,
  memberByPassword,
  openSession,
} from './open-session.ts';
import { showShell } from './session-pages.ts';
import type { BaseRole } from '../../identity/policy.ts';
import { findSessionCaller } from '../../identity/sessions/session-caller.ts';
import { isLocalPath } from '../../identity/sessions/session-link.ts';

const FORM_BYTES = 32 * 1024;
const CONSOLE_PATH = '/console';
export const EXTERNAL_LOGIN_PATH = '/session/oidc';

/** A login by another server, where the operator has set one up. */
export interface ExternalLoginWay {
  name: string;
  /** The role of those whom nobody here knows; absent where they are not let in. */
  newMembers?: BaseRole;
}

declare module '../../kernel.ts' {
  interface Settings {
    externalLogin?: ExternalLoginWay;
  }
}

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
      else logRefusal(kernel, visitorOf(request), status);
      const words =
        error instanceof Failure && status !== 500
          ? error.message
          : 'This did not work. Go back and try again.';
      const headers = error instanceof Failure ? error.details.headers : undefined;
      const page = messagePage(words, kernel.publicUrl, kernel.program);
      return showPage(reply.headers(headers ?? {}), status, page);
    });

    scope.get<{ Querystring: { return?: string | string[] } }>('/session', async (request, reply) => {
      if (await showShell(request, reply, kernel)) return reply;
      const back = backTo(kernel, [request.query.return ?? ''].flat()[0]);
      const visitor = await findSessionCaller(request, kernel);
      return showPage(
        reply,
        200,
        visitor === undefined
          ? loginPage({ back }, kernel)
          : welcomePage(visitor.caller.member.username, kernel.publicUrl),
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
      const back = backTo(kernel, form.get('return') ?? '');
      const challenge = form.get('challenge');
      if (challenge !== null) {
        await chargeLoginAttempt(kernel, request.ip);
        const member = await memberByCode(kernel, challenge, form.get('code') ?? '');
        if (member !== undefined) return letIn(request, reply, member, kernel, back);
        logRefusal(kernel, visitorOf(request), 401);
        return showPage(reply, 401, codePage({ challenge, back, problem: WRONG_CODE }));
      }
      if (link !== null) return goOn(request, reply, await memberByLink(kernel, link), kernel, back);
      const name = form.get('name') ?? '';
      const password = form.get('password') ?? '';
      const member = await memberByPassword(kernel, visitorOf(request), { name, password });
      if (member !== undefined) return goOn(request, reply, member, kernel, back);
      logRefusal(kernel, visitorOf(request), 401);
      const problem = 'The name or the password is wrong.';
      return showPage(reply, 401, loginPage({ name, problem, back }, kernel));
    });
    scope.get('/session/end', (_request, reply) => reply.redirect('/session', 303));
    scope.post('/session/end', async (request, reply) => {
      checkSameOrigin(request, kernel);
      const page = keepPage({ next: '/session' });
      const cookie = await endSession(kernel, visitorOf(request));
      return showScriptedPage(reply.header('set-cookie', cookie), 200, page, KEEP_SCRIPT);
    });
    // Only scripts of this origin can send the header that it needs, so nobody else gets a link.
    scope.post('/session/links', async (request, reply) => {
      checkSameOrigin(request, kernel);
      const visitor = await findSessionCaller(request, kernel);
      if (visitor === undefined) throw new Failure('unauthenticated', 'You are not logged in. Log in first.');
      const link = signResourceLink(kernel, visitor.caller.session!, {
        path: formOf(request).get('path') ?? '',
        now: kernel.clock.now(),
      });
      if (link === undefined)
        throw new Failure('malformed', 'The field "path" must be a path of this server.');
      return reply.code(201).header('cache-control', 'no-store').send(link);
    });
    done();
  });
}

function visitorOf({ ip: address, headers }: FastifyRequest) {
  return { address, headers };
}

/** Asks for a code where the member has a second factor, and opens the session else. */
export async function goOn(
  request: FastifyRequest,
  reply: FastifyReply,
  member: ArrivingMember,
  kernel: Kernel,
  back: string,
) {
  const challenge = await challengeFor(kernel, member);
  if (challenge === undefined) return await letIn(request, reply, member, kernel, back);
  return showPage(reply, 200, codePage({ challenge, back }));
}

/** Opens the session, and leads on to the page. */
async function letIn(
  request: FastifyRequest,
  reply: FastifyReply,
  member: ArrivingMember,
  kernel: Kernel,
  back: string,
) {
  const { pageSecret, cookies } = await openSession(kernel, visitorOf(request), member);
  const page = keepPage({ secret: pageSecret, next: back || CONSOLE_PATH });
  return showScriptedPage(reply.header('set-cookie', cookies), 200, page, KEEP_SCRIPT);
}

/** Below the root of this server. Empty for anything but a page of it. */
export function backTo({ publicUrl }: Kernel, path = ''): string {
  return isLocalPath(path) ? withoutPublicPath(path, publicPathOf(publicUrl)) : '';
}

function formOf({ body }: FastifyRequest): URLSearchParams {
  if (body instanceof URLSearchParams) return body;
  throw new Failure('malformed', 'This page takes only its own form.');
}

/** Browsers name the origin of every form that is posted; other programs need not. */
function checkSameOrigin(request: FastifyRequest, kernel: Kernel): void {
  if (request.headers.origin === undefined || isOwnOrigin(request, kernel)) return;
  const { origin } = new URL(kernel.publicUrl);
  throw new Failure('forbidden', `This form belongs to ${origin}. Open it there.`);
}

const NEEDS_SCRIPTS =
  '<noscript><p role="alert">Logging in needs scripts: allow them for this server, and load the page again.</p></noscript>';

/** The command that prints a login link, for users without a password. */
const linkHint = (program: string): string =>
  `<p>No password? On the server, <code>${escapeHtml(program)} status --login</code> prints a link that logs you in.</p>`;

export interface LoginForm {
  /** The name typed before, so that it need not be typed again. */
  name?: string;
  problem?: string;
  /** The path to go on to, checked; empty for none. */
  back?: string;
}

function loginPage({ name = '', problem, back = '' }: LoginForm, { program, settings }: Kernel): string {
  const alert = problem === undefined ? '' : `<p role="alert" id="problem">${escapeHtml(problem)}</p>`;
  const wrong = problem === undefined ? '' : ' aria-invalid="true" aria-describedby="problem"';
  const target = back === '' ? '' : `<input type="hidden" name="return" value="${escapeHtml(back)}">`;
  return htmlPage(
    'Log in',
    `${NEEDS_SCRIPTS}${alert}<form method="post" action="/session" data-plain>${target}
     <label>Username or e-mail
       <input name="name" value="${escapeHtml(name)}" autocomplete="username" autocapitalize="none" spellcheck="false"
         required${name === '' ? ' autofocus' : ''}${wrong}></label>
     <label>Password
       <input name="password" type="password" autocomplete="current-password" required${name === '' ? '' : ' autofocus'}${wrong}></label>
     <button>Log in</button></form>${otherWay(settings.externalLogin, back)}${linkHint(program)}`,
    'login',
  );
}

function otherWay(provider: ExternalLoginWay | undefined, back: string): string {
  if (provider === undefined) return '';
  const query = back === '' ? '' : `?${new URLSearchParams({ return: back }).toString()}`;
  return `<p><a class="button plain" href="${EXTERNAL_LOGIN_PATH}${escapeHtml(query)}">Continue with ${escapeHtml(provider.name)}</a></p>`;
}

/** The password is not asked for again: the challenge stands for it. */
function codePage({
  challenge,
  back,
  problem,
}: {
  challenge: string;
  back: string;
  problem?: string;
}): string {
  const alert = problem === undefined ? '' : `<p role="alert" id="problem">${escapeHtml(problem)}</p>`;
  const wrong = problem === undefined ? '' : ' aria-invalid="true" aria-describedby="problem"';
  return htmlPage(
    'Log in',
    `${NEEDS_SCRIPTS}${alert}<form method="post" action="/session" data-plain>
     <input type="hidden" name="challenge" value="${escapeHtml(challenge)}">
     <input type="hidden" name="return" value="${escapeHtml(back)}">
     <label>Code of your authenticator app, or a recovery code
       <input name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" required autofocus${wrong}></label>
     <button>Log in</button></form>
     <p>No phone and no recovery code? An administrator can remove the second factor of your account.</p>`,
    'login',
  );
}

function linkPage(link: string): string {
  return htmlPage(
    'Log in',
    `${NEEDS_SCRIPTS}<p>This link logs you in on this browser. It works once.</p>
     <form method="post" action="/session" data-plain><input type="hidden" name="link" value="${escapeHtml(link)}">
     <button autofocus>Log in</button></form>`,
    'login',
  );
}

function welcomePage(username: string, publicUrl: string): string {
  const bases = ['/api/v2', '/v2', '/'].map(
    (base) => `<li><code>${escapeHtml(publicUrl + base)}</code></li>`,
  );
  return htmlPage(
    `Logged in as ${escapeHtml(username)}`,
    `<p><a class="button" href="${CONSOLE_PATH}">Open the console</a></p>
     <p>Pages of this server can call its APIs in this browser:</p><ul>${bases.join('')}</ul>
     <p><a href="/docs">What they offer</a></p>
     <form method="post" action="/session/end" data-plain><button class="plain">Log out</button></form>`,
    'card',
  );
}

/** Puts the second secret of a new session into the storage of this origin, or removes it, and goes on. */
const KEEP_SCRIPT = new PageScript(`
'use strict';
${ROOT_SCRIPT}
const { secret, next } = document.getElementById('kept').dataset;
try {
  if (secret === undefined) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, secret);
  location.replace(next);
} catch {
  document.getElementById('refused').hidden = false;
}
`);

/** The answer to a login or a logout. It is not to be kept by anything but the browser's storage. */
function keepPage({ secret, next }: { secret?: string; next: string }): string {
  const [title, kept] =
    secret === undefined ? ['Logged out', ''] : ['Logged in', ` data-secret="${escapeHtml(secret)}"`];
  return htmlPage(
    title,
    `${NEEDS_SCRIPTS}<p id="kept"${kept} data-next="${escapeHtml(next)}"><a href="${escapeHtml(next)}">Go on</a></p>
     <p id="refused" role="alert" hidden>This browser keeps nothing for this server. Allow it to store data for
       this site, and log in again.</p>${KEEP_SCRIPT.element}`,
    'card',
  );
}

/** Links to the public URL: a form posted from another origin is refused. */
function messagePage(message: string, publicUrl: string, program: string): string {
  return htmlPage(
    'Not logged in',
    `<p role="alert">${escapeHtml(message)}</p>
     <p><a href="${escapeHtml(publicUrl)}/session">Log in with a password</a></p>${linkHint(program)}`,
    'card',
  );
}
