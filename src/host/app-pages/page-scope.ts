// What all pages of apps share: forms, errors, the session, and the checks of what changes something.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../kernel/failure.ts';
import { escapeHtml } from '../../kernel/html.ts';
import { anonymousAt } from '../../kernel/identity/caller.ts';
import { loginPathFrom } from '../../kernel/identity/login-return.ts';
import { findSessionCaller, type SessionCaller } from '../../kernel/identity/session-caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { chargePage, showErrorsAsPages } from '../../kernel/session-pages.ts';
import { DOCS_CATEGORY } from '../../kernel/serve-docs.ts';
import { isSignedForm } from '../app-manifests/form-token.ts';

/** A manifest may have 64 KB, and percent-encoding makes three characters of many. */
const FORM_BYTES = 256 * 1024;
const BUDGET = 'host.core';
const ANONYMOUS_BUDGET = DOCS_CATEGORY;

/** Forms are `URLSearchParams`; errors are pages. */
export function preparePages(scope: FastifyInstance, kernel: Kernel): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_BYTES },
    (_request, body, parsed) => parsed(null, new URLSearchParams(body as string)),
  );
  showErrorsAsPages(scope, kernel, 'app-pages');
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
  if (visitor === undefined) await chargePage(kernel, ANONYMOUS_BUDGET, anonymousAt(request.ip));
  else await chargePage(kernel, BUDGET, visitor.caller);
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
