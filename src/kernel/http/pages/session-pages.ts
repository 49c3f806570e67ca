// What the HTML pages for members who are logged in share: their shell, their errors, and the rate limit that they count against.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Failure, type FailureKind } from '../../failure.ts';
import { escapeHtml, htmlPage, showPage, showScriptedPage } from './html.ts';
import { anonymousAt, type Caller } from '../../identity/caller.ts';
import { SESSION_HEADER } from '../../identity/sessions/page-secret.ts';
import { readSession } from '../../identity/sessions/session-caller.ts';
import type { SessionRequest } from '../../identity/sessions/session-link.ts';
import type { Kernel } from '../../kernel.ts';
import { retrySeconds } from '../../limits/window.ts';
import { SHELL, SHELL_SCRIPT } from './session-shell.ts';

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
    error instanceof Failure && status < 500 ? error.message : 'This did not work. Go back and try again.';
  const headers = error instanceof Failure ? (error.details.headers ?? {}) : {};
  const page = htmlPage('This did not work', `<p role="alert">${escapeHtml(words)}</p>`, 'card');
  return showPage(reply.headers(headers), status, page);
}

function statusOf({ kind, details }: Failure): number {
  return details.part === 'content-type' ? 415 : (STATUS[kind] ?? 500);
}

/** Throws where nothing is left of the budget. */
export async function chargePage({ limits, clock }: Kernel, budget: string, caller: Caller): Promise<void> {
  const now = clock.now();
  if (!limits.enabled || (await limits.consume(budget, caller, now)) !== undefined) return;
  const wait = retrySeconds(limits.peek(budget, caller, now), now);
  throw new Failure('exhausted', `Too many calls. Try again in ${wait} seconds.`, {
    headers: { 'retry-after': String(wait) },
  });
}
