// What all pages of apps share: the visitor's session, and the checks of forms that change something.
import type { FastifyReply } from 'fastify';
import { Failure } from '../../kernel/failure.ts';
import { escapeHtml } from '../../kernel/http/pages/html.ts';
import { anonymousAt } from '../../kernel/identity/caller.ts';
import { loginPathFrom } from '../../kernel/identity/sessions/login-return.ts';
import { findSessionCaller, type SessionCaller } from '../../kernel/identity/sessions/session-caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { PageRequest } from '../../kernel/http/pages/page-route.ts';
import { DOCS_CATEGORY, chargePage } from '../../kernel/http/pages/session-pages.ts';
import { isSignedForm } from '../app-manifests/form-token.ts';

const BUDGET = 'host.core';
const ANONYMOUS_BUDGET = DOCS_CATEGORY;

/** Pages count against the same rate limit as calls of the API; without a session, against that of the documentation. */
export async function findVisitor(request: PageRequest, kernel: Kernel): Promise<SessionCaller | undefined> {
  const visitor = await findSessionCaller(request, kernel);
  if (visitor === undefined) await chargePage(kernel, ANONYMOUS_BUDGET, anonymousAt(request.address));
  else await chargePage(kernel, BUDGET, visitor.caller);
  return visitor;
}

/** A page for members who are logged in; others log in first, and come back to it. */
export function pageForMembers(
  show: (request: PageRequest, reply: FastifyReply, kernel: Kernel, visitor: SessionCaller) => unknown,
): (request: PageRequest, reply: FastifyReply, kernel: Kernel) => Promise<unknown> {
  return async (request, reply, kernel) => {
    const visitor = await findVisitor(request, kernel);
    if (visitor !== undefined) return await show(request, reply, kernel, visitor);
    return reply.header('cache-control', 'no-store').redirect(loginPathFrom(request.url), 303);
  };
}

export interface OpenedForm {
  form: URLSearchParams;
  visitor: SessionCaller;
  token: string;
}

/**
 * For a form that changes something: a session, a page of this server, and the token of the form that was shown. Browsers
 * send the header Origin with every form. What the form has shown can be looked up for the visitor.
 */
export async function openForm(
  request: PageRequest,
  kernel: Kernel,
  shown: readonly string[] | ((visitor: SessionCaller) => Promise<readonly string[]>),
): Promise<OpenedForm> {
  const { origin } = new URL(kernel.publicUrl);
  if (request.headers.origin !== origin)
    throw new Failure('forbidden', `This form belongs to ${origin}. Open it there.`);
  const { form } = request;
  const visitor = await findVisitor(request, kernel);
  if (visitor === undefined)
    throw new Failure('unauthenticated', 'You are not logged in any more. Log in, and begin again.');
  const token = form.get('token') ?? '';
  const parts = typeof shown === 'function' ? await shown(visitor) : shown;
  if (!isSignedForm(kernel.secrets, token, visitor.session, parts, kernel.clock.now()))
    throw new Failure(
      'forbidden',
      'This form is not the one that was shown to you, or is older than an hour. Begin again.',
    );
  return { form, visitor, token };
}

export function hiddenFields(fields: Record<string, string>): string {
  return Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
    .join('');
}

/** Of pages that an account and an organization have both: where they are below. */
export function settingsPathOf(org: string | undefined): string {
  return org === undefined ? '/settings' : `/organizations/${encodeURIComponent(org)}/settings`;
}

/** The path for accounts, and the one for organizations. */
export function settingsPaths(rest: string): string[] {
  return [`/settings/${rest}`, `/organizations/{org}/settings/${rest}`];
}

const MAX_PAGE = 1000;

/** Of a long list, in the query. */
export function pageNumberIn(query: URLSearchParams): number {
  const number = Number(query.get('page'));
  return Number.isInteger(number) && number > 1 ? Math.min(number, MAX_PAGE) : 1;
}

/** Links to the pages before and after. */
export function pageTurns(page: number, hasMore: boolean): string {
  const link = (to: number, words: string) => `<a href="?page=${to}">${words}</a>`;
  return [
    ...(page > 1 ? [link(page - 1, 'Previous page')] : []),
    ...(hasMore ? [link(page + 1, 'Next page')] : []),
  ].join(' · ');
}
