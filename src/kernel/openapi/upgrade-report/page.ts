// The page of the upgrade report, for members who are logged in: which calls a version would change, how often, and what to do.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Api } from '../../http/protocol.ts';
import { escapeHtml, htmlPage, showPage } from '../../http/pages/html.ts';
import { describedPath } from '../../http/path-template.ts';
import { versionPath } from '../../versions/version-effects.ts';
import type { VersionTable } from '../../versions/version.ts';
import {
  type ImpactCaller,
  type ImpactChange,
  type ImpactedCalls,
  type ImpactReport,
  maySeeAllUsage,
  readImpact,
} from './report.ts';
import { USAGE_RETENTION_DAYS } from '../../versions/usage/sweep.ts';
import { loginPathFrom } from '../../identity/sessions/session-link.ts';
import type { KnownCaller } from '../../identity/caller.ts';
import { findSessionCaller } from '../../identity/sessions/session-caller.ts';
import type { Kernel } from '../../kernel.ts';
import { chargePage, DOCS_CATEGORY, showErrorsAsPages, showShell } from '../../http/pages/session-pages.ts';

const PER_PAGE = 30;
const MAX_PAGE = 1_000_000;

interface PageRequest {
  Params: { version: string };
  Querystring: { all?: string | string[]; page?: string | string[] };
}

export function serveImpactPages(app: FastifyInstance, apis: readonly Api[], kernel: Kernel): void {
  void app.register((scope, _options, done) => {
    showErrorsAsPages(scope, kernel, 'impact-page');
    for (const api of apis.filter(({ protocol }) => protocol.versions.headers !== undefined)) {
      scope.get<PageRequest>(
        `/docs/${api.protocol.name}/versions/:version/impact`,
        async (request, reply) => {
          if (await showShell(request, reply, kernel)) return reply;
          const visitor = await findSessionCaller(request, kernel);
          if (visitor === undefined) return reply.redirect(loginPathFrom(request.url), 303);
          await chargePage(kernel, DOCS_CATEGORY, visitor.caller);
          return showPage(reply, 200, await readPage(api, request, visitor.caller, kernel));
        },
      );
    }
    done();
  });
}

async function readPage(
  api: Api,
  { params, query }: FastifyRequest<PageRequest>,
  caller: KnownCaller,
  kernel: Kernel,
): Promise<string> {
  const all = query.all === 'true';
  const page = Math.min(Math.max(Math.trunc(Number(query.page)) || 1, 1), MAX_PAGE);
  const report = await readImpact(kernel, api, caller, {
    target: params.version,
    all,
    slice: { offset: (page - 1) * PER_PAGE, limit: PER_PAGE },
  });
  return impactPage(api, report, { target: params.version, all, maySeeAll: maySeeAllUsage(caller), page });
}

export function versionStateOf(
  version: string,
  { ended = [], announced = [] }: VersionTable,
): 'ended' | 'released' | 'announced' {
  if (ended.includes(version)) return 'ended';
  return announced.includes(version) ? 'announced' : 'released';
}

export interface ImpactView {
  target: string;
  /** Shows the calls of everybody. */
  all: boolean;
  maySeeAll: boolean;
  /** From 1. */
  page: number;
}

const STYLE = `<style>
  article { margin: 0 0 1rem; padding: 1rem; border: 1px solid var(--line); border-radius: 8px; }
  article h2 { margin: 0 0 .25rem; overflow-wrap: anywhere; }
  article p { margin: 0 0 .5rem; overflow-wrap: anywhere; }
  article li { margin: 0 0 .5rem; overflow-wrap: anywhere; }
  .facts { font-size: .875rem; color: light-dark(#4a525b, #aeb5bd); }
</style>`;

export function impactPage(api: Api, report: ImpactReport, view: ImpactView): string {
  const { name, title, versions } = api.protocol;
  const { target } = view;
  const header = versions.headers?.[0];
  const parts = [
    STYLE,
    `<p><a href="/docs/${name}/versions">All versions</a>${versionLink(api, target)}${scopeLink(name, view)}</p>`,
    `<p>${introOf(report, view)}</p>`,
    ...(report.unrecorded === undefined ? [] : [lossWords(report.unrecorded.calls)]),
    ...report.items.map((item) => callPart(item)),
    ...(isNothingToDo(report, view)
      ? [header === undefined ? '' : selectionWords(`${header}: ${target}`, versionStateOf(target, versions))]
      : []),
    pageLinksOf(name, report, view),
    `<p class="facts">Counted are successful calls whose request or reply would have been another. Other nodes add theirs within
     20 seconds; a crash may lose those of the last 20. Calls that were last seen more than ${USAGE_RETENTION_DAYS} days ago
     are forgotten.</p>`,
  ];
  return htmlPage(
    `${title}: what ${target} would change for ${view.all ? 'everybody' : 'you'}`,
    parts.join('\n'),
  );
}

/** One that has ended has no page. */
function versionLink({ protocol: { name, versions } }: Api, target: string): string {
  return versionStateOf(target, versions) === 'ended'
    ? ''
    : ` · <a href="${versionPath(name, target)}">What ${target} changes</a>`;
}

function scopeLink(name: string, { all, maySeeAll, target }: ImpactView): string {
  if (!maySeeAll) return '';
  const path = `/docs/${name}/versions/${target}/impact`;
  return all
    ? ` · <a href="${path}">Only my calls</a>`
    : ` · <a href="${path}?all=true">Calls of everybody</a>`;
}

function selectionWords(header: string, state: ReturnType<typeof versionStateOf>): string {
  if (state === 'ended') return '<p>It has ended: move to a newer one.</p>';
  const when = state === 'announced' ? 'As soon as it is released, send' : 'Send';
  return `<p>${when} the header <code>${escapeHtml(header)}</code> to use it.</p>`;
}

/** A page may be empty and have a next one: operations of an earlier release are left out. */
function isNothingToDo({ items, hasMore }: ImpactReport, { page }: ImpactView): boolean {
  return items.length === 0 && !hasMore && page === 1;
}

function introOf(report: ImpactReport, view: ImpactView): string {
  const { target, all } = view;
  const whose = all ? 'anybody' : 'your tokens and sessions';
  if (!isNothingToDo(report, view))
    return `These calls were made under older versions, and version ${target} would change them. Most calls come first.`;
  return `<strong>Nothing to do:</strong> no recorded call of ${whose} would change in version ${target}.`;
}

function lossWords(calls: number): string {
  return `<p role="alert">${number(calls)} calls on this server were not recorded for lack of memory: some may be missing here.</p>`;
}

function callPart({
  shape,
  version,
  variant,
  caller,
  calls,
  firstAt,
  lastAt,
  changes,
  done,
}: ImpactedCalls): string {
  const asked = variant === undefined ? version : `${version}, media type ${escapeHtml(variant)}`;
  return `<article><h2><code>${shape.method} ${escapeHtml(describedPath(shape.path))}</code></h2>
    <p class="facts">${number(calls)} ${calls === 1 ? 'call' : 'calls'} by ${describeCaller(caller)} under ${asked},
      from ${momentOf(firstAt)} to ${momentOf(lastAt)}${done === undefined ? '' : `; marked as done${done.by === undefined ? '' : ` by ${escapeHtml(done.by)}`} ${momentOf(done.at)}`}</p>
    <ul>${changes.map(changePart).join('')}</ul></article>`;
}

function changePart({ title, advice, in: place, fields, calls, lastAt }: ImpactChange): string {
  const names = fields.map(({ name, kind }) => `<code>${escapeHtml(name)}</code> ${kind}`).join(', ');
  const where = place === 'operation' ? 'the reply itself' : `${place}${names === '' ? '' : `: ${names}`}`;
  return `<li>${inline(title)}. <strong>Instead:</strong> ${inline(advice)}<br>
    <span class="facts">In the ${where} · ${number(calls)} ${calls === 1 ? 'call' : 'calls'}, last ${momentOf(lastAt)}</span></li>`;
}

/** Names are whatever people chose. */
function describeCaller({ kind, id, name, member }: ImpactCaller): string {
  const whose = member === undefined ? '' : ` of ${escapeHtml(member)}`;
  if (kind === 'anonymous') return 'callers without a token';
  if (kind === 'session') return `a browser session${whose}`;
  if (kind === 'program') return escapeHtml(id ?? '');
  return `token <strong>${escapeHtml(name ?? id ?? '')}</strong>${whose}`;
}

function pageLinksOf(name: string, { hasMore }: ImpactReport, { target, all, page }: ImpactView): string {
  const link = (to: number, words: string) =>
    `<a href="/docs/${name}/versions/${target}/impact?page=${to}${all ? '&amp;all=true' : ''}">${words}</a>`;
  const links = [
    ...(page > 1 ? [link(page - 1, 'Previous page')] : []),
    ...(hasMore ? [link(page + 1, 'Next page')] : []),
  ];
  return links.length === 0 ? '' : `<p>${links.join(' · ')}</p>`;
}

function inline(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

function number(value: number): string {
  return value.toLocaleString('en');
}

function momentOf(at: number): string {
  const iso = new Date(at).toISOString();
  return `<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')}</time> UTC`;
}
