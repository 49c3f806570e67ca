// Serves the HTML pages that `site` links point to, for members who are logged in.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { showPage, escapeHtml, htmlPage, htmlTable } from '../kernel/http/pages/html.ts';
import type { KnownCaller } from '../kernel/identity/caller.ts';
import { loginPathFrom } from '../kernel/identity/sessions/session-link.ts';
import { can } from '../kernel/identity/policy.ts';
import { findSessionCaller } from '../kernel/identity/sessions/session-caller.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { chargePage, showErrorsAsPages, showShell } from '../kernel/http/pages/session-pages.ts';
import { findFlag } from './feature-flags/store.ts';
import { openProject, unknownThing } from './find-project.ts';
import type { Project } from './projects/project.ts';
import type { Flag, FlagConfig, Serve } from './feature-flags/flag.ts';
import { flagPath } from './feature-flags/representation.ts';

/** A page counts against the same rate limit as an API call. */
const BUDGET = 'flags.global';

interface FlagPage {
  Params: { projectKey: string; flagKey: string };
  Querystring: { env?: string | string[] };
}

export function serveFlagPages(app: FastifyInstance, kernel: Kernel): void {
  void app.register((scope, _options, done) => {
    showErrorsAsPages(scope, kernel, 'console');
    const show = async (request: FastifyRequest<FlagPage>, reply: FastifyReply) => {
      if (await showShell(request, reply, kernel)) return reply;
      const visitor = await findSessionCaller(request, kernel);
      if (visitor === undefined) return reply.redirect(loginPathFrom(request.url), 303);
      await chargePage(kernel, BUDGET, visitor.caller);
      return showPage(reply, 200, await readPage(request, visitor.caller, kernel));
    };
    scope.get<FlagPage>('/console/flags/:projectKey/:flagKey', show);
    scope.get<FlagPage>('/console/flags/:projectKey/:flagKey/targeting', show);
    done();
  });
}

async function readPage({ params, query }: FastifyRequest<FlagPage>, caller: KnownCaller, { db }: Kernel) {
  const asking = { can: (resource: string, action = 'viewProject') => can(caller, action, resource) };
  const project = await openProject(asking, db, params.projectKey);
  const asked = query.env === undefined ? undefined : [query.env].flat();
  const found = await findFlag(db, project.id, params.flagKey, asked);
  if (found === undefined) throw unknownThing('flag', params.flagKey);
  return flagPage(found.flag, { project, environments: found.environments });
}

interface PageContext {
  project: Pick<Project, 'key' | 'name'>;
  environments: readonly { key: string; name: string }[];
}

function flagPage(flag: Flag, { project, environments }: PageContext): string {
  const api = `/api/v2${flagPath(project.key, flag.key)}`;
  const rows = environments.flatMap(({ key, name }) => {
    const config = flag.environments[key];
    return config === undefined ? [] : [rowOf(flag, config, name)];
  });
  const variations = flag.variations.map((_, index) => `<li>${variationHtml(flag, index)}</li>`);
  const parts = [
    `<p><code>${escapeHtml(flag.key)}</code> in ${escapeHtml(project.name)}${stateOf(flag)}</p>`,
    flag.description === '' ? '' : `<p>${escapeHtml(flag.description)}</p>`,
    flag.tags.length === 0 ? '' : `<p>Tags: ${flag.tags.map(escapeHtml).join(', ')}</p>`,
    htmlTable(['Environment', 'State', 'Serves by default', 'Targets', 'Rules', 'Last change'], rows),
    `<h2>Variations</h2><ul>${variations.join('')}</ul>`,
    `<p><a data-signed href="${escapeHtml(api)}">All of it, as the API tells it</a></p>`,
  ];
  return htmlPage(escapeHtml(flag.name), parts.join(''));
}

function stateOf({ archived, deprecated }: Flag): string {
  return archived ? ' (archived)' : deprecated ? ' (deprecated)' : '';
}

function rowOf(flag: Flag, config: FlagConfig, name: string): string[] {
  const { on, fallthrough, offVariation, targets, contextTargets, rules, lastModified } = config;
  const off = offVariation === undefined ? 'nothing' : variationHtml(flag, offVariation);
  const targeted = [...targets, ...contextTargets].reduce((sum, { values }) => sum + values.length, 0);
  return [
    escapeHtml(name),
    on ? 'on' : 'off',
    on ? serveHtml(flag, fallthrough) : off,
    String(targeted),
    String(rules.length),
    new Date(lastModified).toISOString(),
  ];
}

function serveHtml(flag: Flag, serve: Serve): string {
  if (serve.variation !== undefined) return variationHtml(flag, serve.variation);
  const shares = serve.rollout?.variations ?? [];
  return shares
    .map(({ variation, weight }) => `${weight / 1000} % ${variationHtml(flag, variation)}`)
    .join(', ');
}

const MAX_TEXT = 100;

function variationHtml({ variations }: Flag, index: number): string {
  const { name, value } = variations[index] ?? {};
  const text = JSON.stringify(value) ?? '';
  const shown = `<code>${escapeHtml(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text)}</code>`;
  return name === undefined ? shown : `${escapeHtml(name)}: ${shown}`;
}
