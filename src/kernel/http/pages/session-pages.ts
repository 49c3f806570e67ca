// What the HTML pages for members who are logged in share: their shell, their errors, and the rate limit that they count against.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Failure, type FailureKind } from '../../failure.ts';
import {
  escapeHtml,
  htmlPage,
  showPage,
  showScriptedPage,
  pageHeaders,
  PageScript,
  ROOT_SCRIPT,
} from './html.ts';
import { anonymousAt, type Caller } from '../../identity/caller.ts';
import { SESSION_HEADER, readSession } from '../../identity/sessions/session-caller.ts';
import type { SessionRequest } from '../../identity/sessions/session-link.ts';
import type { Kernel } from '../../kernel.ts';
import { charge } from './charge.ts';

/** The category of the rate limit for documents and pages that anybody may ask for. */
export const DOCS_CATEGORY = 'docs';

const STATUS: Partial<Record<FailureKind, number>> = {
  malformed: 400,
  invalid: 422,
  unauthenticated: 401,
  denied: 403,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  'too-large': 413,
  'headers-too-large': 431,
  exhausted: 429,
  unavailable: 503,
};

/**
 * Shows the shell where a browser asks for a page with a cookie alone, and says whether it did. A script that asks sends the
 * header, even without a secret, and gets the page or the login.
 */
export async function showShell(
  call: Omit<SessionRequest, 'now'> & { ip: string },
  reply: FastifyReply,
  kernel: Kernel,
): Promise<boolean> {
  if (call.method !== 'GET' || call.headers[SESSION_HEADER] !== undefined) return false;
  if ((await readSession(call, kernel))?.isComplete !== false) return false;
  await chargePage(kernel, DOCS_CATEGORY, anonymousAt(call.ip));
  void showScriptedPage(reply, 200, SHELL, SHELL_SCRIPT);
  return true;
}

/** Errors are pages. `name` is for the log. */
export function showErrorsAsPages(scope: FastifyInstance, kernel: Pick<Kernel, 'log'>, name: string): void {
  scope.setErrorHandler((error: Error, _request, reply) => showErrorPage(reply, error, kernel, name));
}

export function showErrorPage(
  reply: FastifyReply,
  error: Error,
  { log }: Pick<Kernel, 'log'>,
  name: string,
): FastifyReply {
  const status =
    error instanceof Failure ? statusOf(error) : ((error as { statusCode?: number }).statusCode ?? 500);
  if (status >= 500) log.error({ err: error, route: name }, 'a page failed');
  const words =
    error instanceof Failure && status !== 500 ? error.message : 'This did not work. Go back and try again.';
  const headers = error instanceof Failure ? (error.details.headers ?? {}) : {};
  const page = htmlPage('This did not work', `<p role="alert">${escapeHtml(words)}</p>`, 'card');
  return showPage(reply.headers(headers), status, page);
}

function statusOf({ kind, details }: Failure): number {
  return details.part === 'content-type' ? 415 : (STATUS[kind] ?? 500);
}

export function chargePage(kernel: Kernel, budget: string, caller: Caller): Promise<void> {
  return charge(kernel, budget, caller, 'Too many calls.');
}

/**
 * A field of a form may be named like a property of the form, so its attributes are read. Scripts in what was fetched do not
 * run. Forms that are marked as plain, those of the login, are sent by the browser.
 */
const SHELL_SCRIPT = new PageScript(`
'use strict';
${ROOT_SCRIPT}
const send = (url, init) => {
  let secret = '';
  try { secret = localStorage.getItem(storageKey) ?? ''; } catch {}
  const headers = { accept: 'text/html', '${SESSION_HEADER}': secret };
  return fetch(url, { cache: 'no-store', ...init, headers });
};
const failed = (reason) => {
  const words = document.createElement('p');
  words.setAttribute('role', 'alert');
  words.textContent = 'This did not work: the server does not answer. Reload the page to try again.';
  document.querySelector('main').append(words);
  console.error(reason);
};
const show = async (reply) => {
  const page = new DOMParser().parseFromString(await reply.text(), 'text/html');
  document.title = page.title;
  document.body.replaceWith(document.adoptNode(page.body));
  const field = document.querySelector('[autofocus]');
  if (field !== null) field.focus();
};
const load = async () => {
  const reply = await send(location.href);
  if (reply.redirected) history.replaceState(null, '', reply.url);
  await show(reply);
  if (location.hash !== '') location.replace(location.hash);
};
const follow = async (path, go) => {
  const reply = await send(root + 'session/links', { method: 'POST', body: new URLSearchParams({ path }) });
  go(reply.ok ? (await reply.json()).url : root + 'session?' + new URLSearchParams({ return: path }));
};
addEventListener('submit', (event) => {
  const form = event.target;
  if (form.getAttribute('method') !== 'post' || form.hasAttribute('data-plain')) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form, event.submitter));
  const buttons = document.querySelectorAll('button');
  for (const button of buttons) button.disabled = true;
  send(form.getAttribute('action'), { method: 'POST', body }).then(async (reply) => {
    const next = reply.headers.get('location');
    if (next !== null) return location.assign(next);
    await show(reply);
    const main = document.querySelector('main');
    main.tabIndex = -1;
    main.focus();
  }).catch((reason) => {
    for (const button of buttons) button.disabled = false;
    failed(reason);
  });
});
addEventListener('click', (event) => {
  const link = event.target.closest('a[data-signed]');
  if (link === null || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  follow(link.getAttribute('href'), (url) => location.assign(url)).catch(failed);
});
const isResource = document.body.hasAttribute('data-resource');
(isResource ? follow(location.pathname + location.search, (url) => location.replace(url)) : load()).catch(failed);
`);

const BUSY = `<p role="status" class="late">One moment …</p>
  <noscript><p role="alert">Pages for members need scripts: allow them for this server, and load the page again.</p></noscript>
  ${SHELL_SCRIPT.element}`;
const SHELL = htmlPage('Signalbox', BUSY, 'card');
const RESOURCE_SHELL = SHELL.replace('<body ', '<body data-resource ');

/**
 * The body of an error for a browser that opens something of an API with a cookie alone: a page whose script asks for a link
 * to it. Only from pages of this server and from the address bar, because some calls start something.
 */
export function resourceShell({
  method,
  headers,
}: Pick<SessionRequest, 'method' | 'headers'>):
  | { body: string; headers: Record<string, string> }
  | undefined {
  const site = headers['sec-fetch-site'];
  const isOpened =
    method === 'GET' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    (site === 'none' || site === 'same-origin');
  return isOpened ? { body: RESOURCE_SHELL, headers: pageHeaders([], SHELL_SCRIPT) } : undefined;
}

/** After a change, the page is loaded anew. Scripts cannot see where a redirect leads, so they get no redirect. */
export function goTo(
  { headers }: Pick<SessionRequest, 'headers'>,
  reply: FastifyReply,
  location: string,
): FastifyReply {
  void reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  return headers[SESSION_HEADER] === undefined
    ? reply.redirect(location, 303)
    : reply.code(204).header('location', location).send();
}
