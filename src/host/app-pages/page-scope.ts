// What all pages of apps share: forms, errors, the session, and the checks of what changes something.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure, type FailureKind } from '../../kernel/failure.ts';
import { escapeHtml, htmlPage, showPage } from '../../kernel/html.ts';
import { anonymousAt, type Caller } from '../../kernel/identity/caller.ts';
import { loginPathFrom } from '../../kernel/identity/login-return.ts';
import { findSessionCaller, type SessionCaller } from '../../kernel/identity/session-caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { retrySeconds } from '../../kernel/limit-window.ts';
import { isSignedForm } from '../app-manifests/form-token.ts';

/** A manifest may have 64 KB, and percent-encoding makes three characters of many. */
const FORM_BYTES = 256 * 1024;
const BUDGET = 'host.core';
const ANONYMOUS_BUDGET = 'docs';

const STATUS: Partial<Record<FailureKind, number>> = {
  malformed: 400,
  invalid: 422,
  unauthenticated: 401,
  denied: 403,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  exhausted: 429,
  unavailable: 503,
};

/** Forms are `URLSearchParams`; errors are pages. */
export function preparePages(scope: FastifyInstance, { log }: Kernel): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_BYTES },
    (_request, body, parsed) => parsed(null, new URLSearchParams(body as string)),
  );
  scope.setErrorHandler((error: Error, _request, reply) => {
    const { statusCode = 500 } = error as { statusCode?: number };
    const status = error instanceof Failure ? (STATUS[error.kind] ?? 500) : statusCode;
    if (status >= 500) log.error({ err: error, route: 'app-pages' }, 'a page failed');
    const words =
      error instanceof Failure && status < 500 ? error.message : 'This did not work. Go back and try again.';
    const headers = error instanceof Failure ? (error.details.headers ?? {}) : {};
    const page = htmlPage('This did not work', `<p role="alert">${escapeHtml(words)}</p>`, 'card');
    return showPage(reply.headers(headers), status, page);
  });
}

export function readPageForm({ body }: FastifyRequest): URLSearchParams {
  if (body instanceof URLSearchParams) return body;
  throw new Failure('malformed', 'This page takes forms only.');
}

/** Pages count against the same rate limit as calls of the API; without a session, against that of the documentation. */
export async function findVisitor(
  request: FastifyRequest,
  kernel: Kernel,
): Promise<SessionCaller | undefined> {
  const visitor = await findSessionCaller(request.headers.cookie, kernel);
  const { limits, clock } = kernel;
  if (limits.enabled) {
    const now = clock.now();
    const [budget, caller]: [string, Caller] =
      visitor === undefined ? [ANONYMOUS_BUDGET, anonymousAt(request.ip)] : [BUDGET, visitor.caller];
    if ((await limits.draw(budget, caller, now)) === undefined) {
      const wait = retrySeconds(limits.peek(budget, caller, now), now);
      throw new Failure('exhausted', `Too many calls. Try again in ${wait} seconds.`, {
        headers: { 'retry-after': String(wait) },
      });
    }
  }
  return visitor;
}

/** Whether a browser says that the form was on a page of this server. Browsers send the header with every form. */
export function isOwnForm({ headers }: FastifyRequest, { publicUrl }: Kernel): boolean {
  return headers.origin === new URL(publicUrl).origin;
}

/** For a form that changes something: a session, a page of this server, and the token of the form that was shown. */
export async function openForm(
  request: FastifyRequest,
  kernel: Kernel,
  shownOf: (form: URLSearchParams) => readonly string[],
): Promise<{ form: URLSearchParams; visitor: SessionCaller; token: string }> {
  if (!isOwnForm(request, kernel))
    throw new Failure(
      'forbidden',
      `This form belongs to ${new URL(kernel.publicUrl).origin}. Open it there.`,
    );
  const form = readPageForm(request);
  const visitor = await findVisitor(request, kernel);
  if (visitor === undefined)
    throw new Failure('unauthenticated', 'You are not logged in any more. Log in, and begin again.');
  const token = form.get('token') ?? '';
  if (!isSignedForm(kernel.secrets, token, visitor.session, shownOf(form), kernel.clock.now()))
    throw new Failure(
      'forbidden',
      'This form is not the one that was shown to you, or is older than an hour. Begin again.',
    );
  return { form, visitor, token };
}

/** For pages that need a session; it leads back to them. */
export function askToLogIn({ url }: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(loginPathFrom(url), 303);
}

export function hiddenFields(fields: Record<string, string>): string {
  return Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
    .join('');
}
