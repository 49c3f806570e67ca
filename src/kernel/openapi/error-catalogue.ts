// The catalogue of an API's errors: each code once, at an anchor that stays, with its status, its causes and what to do.
import { escapeHtml, escapeWithCode } from '../http/pages/html.ts';
import type { Api } from '../http/protocol.ts';
import type { FailureKind } from '../failure.ts';
import type { DocsContent } from './docs-frame.ts';
import { codeOf, documentedFailures, errorsOf, FAILURE_CURES, FAILURE_DESCRIPTIONS } from './errors.ts';
import { operationPath } from './reference/resources.ts';

interface ErrorEntry {
  /** Also its anchor. */
  code: string;
  statuses: number[];
  causes: string[];
  cures: string[];
  /** The ids of the operations that name it. */
  operations: string[];
}

/** Causes of codes that the API itself does not describe, by code. */
export type ErrorCauses = ReadonlyMap<string, string>;

/** Of codes that only routes name, by the status: what their kind of failure has in common. */
const CURES_BY_STATUS: Readonly<Record<number, string>> = {
  400: FAILURE_CURES.invalid,
  402: FAILURE_CURES['over-quota'],
  404: FAILURE_CURES['not-found'],
  408: FAILURE_CURES.timeout,
  413: FAILURE_CURES['too-large'],
};
const OTHER_CURE = 'Change what the message says is in the way, and send it again.';

/** More are counted. */
const SHOWN_OPERATIONS = 12;

export function errorsPath(api: string): string {
  return `/docs/${api}/errors`;
}

/** In the order of their statuses. */
export function listErrors(api: Api, causes: ErrorCauses = new Map()): ErrorEntry[] {
  const { protocol, routes } = api;
  const entries = new Map<string, ErrorEntry>();
  const entryOf = (code: string): ErrorEntry => {
    const known = entries.get(code) ?? { code, statuses: [], causes: [], cures: [], operations: [] };
    entries.set(code, known);
    return known;
  };
  const describe = (code: string, kind: FailureKind, cause: string) => {
    const entry = entryOf(code);
    addTo(entry.statuses, protocol.status[kind]);
    addTo(entry.causes, cause);
    addTo(entry.cures, FAILURE_CURES[kind]);
  };
  for (const kind of documentedFailures(protocol))
    describe(codeOf(protocol, kind), kind, FAILURE_DESCRIPTIONS[kind]);
  for (const { code, kind, cause } of protocol.furtherErrors ?? []) describe(code, kind, cause);
  for (const { shape } of routes) {
    if (shape.aliasOf !== undefined) continue;
    for (const { status, types } of errorsOf(shape, protocol))
      for (const type of types) {
        const entry = entryOf(type);
        addTo(entry.statuses, status);
        entry.operations.push(shape.id);
      }
  }
  for (const entry of entries.values()) {
    const cause = causes.get(entry.code);
    if (cause !== undefined) entry.causes = [cause];
    if (entry.cures.length === 0) entry.cures = [CURES_BY_STATUS[entry.statuses[0]!] ?? OTHER_CURE];
  }
  return [...entries.values()]
    .map((entry) => ({ ...entry, statuses: entry.statuses.toSorted((a, b) => a - b) }))
    .toSorted((one, other) => one.statuses[0]! - other.statuses[0]! || (one.code < other.code ? -1 : 1));
}

function addTo<T>(list: T[], value: T): void {
  if (!list.includes(value)) list.push(value);
}

export function errorsPage(api: Api, causes?: ErrorCauses): DocsContent {
  const { name, title } = api.protocol;
  const entries = listErrors(api, causes);
  const words = `<p class="links"><a href="/docs/${name}">${escapeHtml(title)}</a>
<a href="${errorsPath(name)}.md">Markdown</a></p>
<p>Every error that the API answers, with its cause and what to do. Programs compare the status, and the code where errors have
one; messages are for people, and may change.</p>`;
  const parts = entries.map(
    (
      entry,
    ) => `<section class="err"><h2 id="${escapeHtml(entry.code)}"><a class="op__link" href="#${escapeHtml(entry.code)}"><code>${escapeHtml(entry.code)}</code></a>
<small class="muted">${entry.statuses.join(', ')}</small></h2>
${entry.causes.map((cause) => `<p>${escapeWithCode(sentence(cause))}</p>`).join('')}
<p class="muted">${entry.cures.map(escapeWithCode).join(' ')}</p>
${operationLinks(api, entry)}</section>`,
  );
  return { title: `Errors of the ${title}`, body: words + parts.join('\n') };
}

function operationLinks(api: Api, { operations }: ErrorEntry): string {
  if (operations.length === 0 || operations.length === api.routes.length) return '';
  const links = operations
    .slice(0, SHOWN_OPERATIONS)
    .map((id) => `<a href="${escapeHtml(operationPath(api, id) ?? '')}"><code>${escapeHtml(id)}</code></a>`);
  const rest = operations.length - links.length;
  return `<p class="muted ops">Of ${links.join(' ')}${rest > 0 ? ` and ${rest} more` : ''}</p>`;
}

export function errorsMarkdown(api: Api, causes?: ErrorCauses): string {
  const entries = listErrors(api, causes).map(
    ({ code, statuses, causes: found, cures }) =>
      `## ${code}\n\nStatus ${statuses.join(', ')}. ${[...found.map(sentence), ...cures].join(' ')}`,
  );
  return `# Errors of the ${api.protocol.title}\n\n${entries.join('\n\n')}\n`;
}

/** Causes from tables begin small and have no period. */
function sentence(cause: string): string {
  const text = cause.replace(/^[a-z]/, (letter) => letter.toUpperCase());
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
