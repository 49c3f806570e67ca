// What all pages of apps share: the visitor's session, the checks of forms that change something, and how rights are shown.
import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { Failure } from '../../kernel/failure.ts';
import { escapeHtml, framedPage, htmlTable } from '../../kernel/http/pages/html.ts';
import type { PageRequest } from '../../kernel/http/pages/page-route.ts';
import { DOCS_CATEGORY, chargePage } from '../../kernel/http/pages/session-pages.ts';
import { anonymousAt } from '../../kernel/identity/caller.ts';
import { loginPathFrom } from '../../kernel/identity/sessions/session-link.ts';
import { findSessionCaller, type SessionCaller } from '../../kernel/identity/sessions/session-caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { SecretBox } from '../../kernel/secrets/secret-box.ts';
import type { AppPermissions } from '../apps/permissions.ts';
import type { RepositoryOwner } from '../owners/model.ts';

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

interface OpenedForm {
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

/** A page of apps, below the list of them in the console. */
export function appFrame(title: string, body: string): string {
  return framedPage(title, body, '<a href="/console/account/apps">Apps</a>');
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

export function settingsPathFor({ login, type }: Pick<RepositoryOwner, 'login' | 'type'>): string {
  return settingsPathOf(type === 'Organization' ? login : undefined);
}

/** Where the owner of an app changes it. */
export function appSettingsPath(owner: Pick<RepositoryOwner, 'login' | 'type'>, slug: string): string {
  return `${settingsPathFor(owner)}/apps/${slug}`;
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

const PURPOSE = 'app-forms';
const LIFETIME_MS = 60 * 60 * 1000;

/**
 * Binds what is sent to the session that saw the page, and to what the page showed. `shown` is everything that the
 * form is about. Two tokens for the same form differ, so that one can be good once.
 */
export function signForm(secrets: SecretBox, session: string, shown: readonly string[], now: number): string {
  const nonce = randomBytes(12).toString('base64url');
  const expiry = (now + LIFETIME_MS).toString(36);
  return `${expiry}.${nonce}.${secrets.sign(PURPOSE, JSON.stringify([session, expiry, nonce, ...shown]))}`;
}

function isSignedForm(
  secrets: SecretBox,
  token: string,
  session: string,
  shown: readonly string[],
  now: number,
): boolean {
  const [expiry = '', nonce = '', signature = ''] = token.split('.', 3);
  if (!(Number.parseInt(expiry, 36) > now)) return false;
  return secrets.verify(PURPOSE, JSON.stringify([session, expiry, nonce, ...shown]), signature);
}

const LEVELS: Readonly<Record<string, string>> = {
  read: 'read',
  write: 'read and write',
  admin: 'administer',
};

export function permissionLevel(level: string): string {
  return LEVELS[level] ?? level;
}

export function permissionName(name: string): string {
  return escapeHtml(name.replaceAll('_', ' '));
}

export function permissionList(permissions: AppPermissions): string {
  const rows = Object.entries(permissions)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, level]) => [permissionName(name), permissionLevel(level)]);
  return htmlTable(['Permission', 'Level'], rows);
}

export function eventList(events: readonly string[]): string {
  if (events.length === 0) return '<p>It asks for no events.</p>';
  return `<p>It receives these events: ${events.map((name) => `<code>${escapeHtml(name)}</code>`).join(', ')}.</p>`;
}

/** A link that says nothing to the site about where it was clicked. The address has been checked to be of the web. */
export function outsideLink(url: string): string {
  return `<a href="${escapeHtml(url)}" rel="noopener noreferrer">${escapeHtml(url)}</a>`;
}
