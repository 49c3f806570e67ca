// The page of a flag, as HTML: what it is, and what it serves in each environment.
import { escapeHtml, htmlPage, htmlTable } from '../../kernel/html.ts';
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
  const variations = flag.variations.map((_, index) => `<li>${tellVariation(flag, index)}</li>`);
  const parts = [
    `<p><code>${escapeHtml(flag.key)}</code> in ${escapeHtml(project.name)}${stateOf(flag)}</p>`,
    flag.description === '' ? '' : `<p>${escapeHtml(flag.description)}</p>`,
    flag.tags.length === 0 ? '' : `<p>Tags: ${flag.tags.map(escapeHtml).join(', ')}</p>`,
    htmlTable(['Environment', 'State', 'Serves by default', 'Targets', 'Rules', 'Last change'], rows),
    `<h2>Variations</h2><ul>${variations.join('')}</ul>`,
    `<p><a href="${escapeHtml(api)}">All of it, as the API tells it</a></p>`,
  ];
  return htmlPage(escapeHtml(flag.name), parts.join(''));
}

function stateOf({ archived, deprecated }: Flag): string {
  return archived ? ' (archived)' : deprecated ? ' (deprecated)' : '';
}

function rowOf(flag: Flag, config: FlagConfig, name: string): string[] {
  const { on, fallthrough, offVariation, targets, contextTargets, rules, lastModified } = config;
  const off = offVariation === undefined ? 'nothing' : tellVariation(flag, offVariation);
  const targeted = [...targets, ...contextTargets].reduce((sum, { values }) => sum + values.length, 0);
  return [
    escapeHtml(name),
    on ? 'on' : 'off',
    on ? tellServe(flag, fallthrough) : off,
    String(targeted),
    String(rules.length),
    new Date(lastModified).toISOString(),
  ];
}

function tellServe(flag: Flag, serve: Serve): string {
  if (serve.variation !== undefined) return tellVariation(flag, serve.variation);
  const shares = serve.rollout?.variations ?? [];
  return shares
    .map(({ variation, weight }) => `${weight / 1000} % ${tellVariation(flag, variation)}`)
    .join(', ');
}

const MOST_TEXT = 100;

function tellVariation({ variations }: Flag, index: number): string {
  const { name, value } = variations[index] ?? {};
  const text = JSON.stringify(value) ?? '';
  const shown = `<code>${escapeHtml(text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text)}</code>`;
  return name === undefined ? shown : `${escapeHtml(name)}: ${shown}`;
}
