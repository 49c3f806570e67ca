// The HTML page of a flag: its description, and what it serves in each environment.
import { escapeHtml, htmlPage, htmlTable } from '../../kernel/http/pages/html.ts';
import type { Project } from '../projects/project.ts';
import type { Flag, FlagConfig, Serve } from './flag.ts';
import { flagPath } from './representation.ts';

interface PageContext {
  project: Pick<Project, 'key' | 'name'>;
  environments: readonly { key: string; name: string }[];
}

export function flagPage(flag: Flag, { project, environments }: PageContext): string {
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
