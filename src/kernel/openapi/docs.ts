// The pages that error messages point to: what each API offers, as HTML made from its routes and its protocol.
import { publicAccess, type RouteAccess } from '../http/route.ts';
import type { Api, ApiProtocol } from '../http/protocol.ts';
import { versionParts } from './docs-versions.ts';
import { codeOf, documentedFailures, FAILURE_DESCRIPTIONS } from './errors.ts';
import { escapeHtml, escapeWithCode, htmlTable } from '../http/pages/html.ts';
import { MAX_JSON_ITEMS, MAX_OBJECT_KEYS, MAX_ITEM_VALUES } from '../json/scan.ts';
import type { Kernel } from '../kernel.ts';
import type { Limits } from '../limits/limits.ts';
import { describedPath } from '../http/path-template.ts';
import { LIMITS_PATH, type DocsContent, type DocsSite } from './docs-frame.ts';
import { errorsPath } from './error-catalogue.ts';
import { operationPath } from './reference/resources.ts';
import type { SecondaryLimits } from '../limits/secondary-limits.ts';

export function indexPage({ apis, links }: Pick<DocsSite, 'apis' | 'links'>): DocsContent {
  const tiles = apis.map(({ protocol, routes }) => {
    const { name, title, description } = protocol;
    const start = links.filter(({ api }) => api === name).map(linkTo);
    const own = [
      { href: `/docs/${name}`, title: `${routes.length} operations` },
      { href: errorsPath(name), title: 'Errors' },
      { href: `/docs/${name}/versions`, title: 'Versions' },
    ].map(linkTo);
    const [first = ''] = /^.*?\.(?=\s|$)/s.exec(description) ?? [description];
    return `<section class="tile"><h2><a href="/docs/${name}">${title}</a></h2><p>${escapeWithCode(first)}</p>
<p class="links">${[...start, ...own].join(' ')}</p></section>`;
  });
  const more = links.filter(({ api }) => api === undefined).map(linkTo);
  const intro = `<p class="lead">Everything that the <a href="/console">console</a> does is a call that is described here. One account
    and one access token are good for all APIs.</p>`;
  const end = `<p>${more.join(', ')} show common tasks from beginning to end. Each page is also Markdown, with <code>.md</code> at the
    end of its address; programs begin at <a href="/llms.txt">llms.txt</a>.</p>`;
  return { title: 'Documentation', body: `${intro}<div class="tiles">${tiles.join('')}</div>${end}` };
}

function linkTo({ href, title }: { href: string; title: string }): string {
  return `<a href="${escapeHtml(href)}">${escapeHtml(title)}</a>`;
}

type DocsKernel = Pick<Kernel, 'limits' | 'secondaryLimits' | 'program'>;

export function apiPage(api: Api, { limits, secondaryLimits, program }: DocsKernel): DocsContent {
  const { protocol, routes } = api;
  const { status } = protocol;
  const sections = [
    section('requests', 'Requests', [
      `<p>Base URLs: ${protocol.prefixes.map((prefix) => `<code>${prefix === '' ? '/' : prefix}</code>`).join(', ')}.
       Bodies are JSON of at most ${inWords(protocol.bodyLimit)} bytes${protocol.bodyKeys === undefined ? '' : ` and ${inWords(protocol.bodyKeys)} keys`}.
       An object has at most ${inWords(MAX_OBJECT_KEYS)} keys, a list ${inWords(MAX_JSON_ITEMS)} items, and an item
       ${inWords(MAX_ITEM_VALUES)} keys and elements in all.</p>`,
      overrideWords(protocol),
    ]),
    section('operations', 'Operations', [
      htmlTable(
        ['Call', 'What it does', 'Who may'],
        routes.map(({ shape }) => [
          `<code id="${escapeHtml(shape.id)}">${shape.method} ${escapeHtml(describedPath(shape.path))}</code>`,
          linked(escapeHtml(shape.summary), operationPath(api, shape.aliasOf ?? shape.id)),
          whoMay(publicAccess(shape)),
        ]),
        'stacked',
      ),
    ]),
    section('authentication', 'Authentication', [
      `<p>Send an access token in the <code>Authorization</code> header. A token is made with
       <code>${escapeHtml(program)} token create</code>.</p>`,
    ]),
    section('versions', 'Versions', versionParts(api)),
    section('rate-limits', 'Rate limits', [
      limitTable(protocol, limits),
      `<p><a href="${LIMITS_PATH}">The limits of all APIs</a></p>`,
    ]),
    secondarySection(protocol, secondaryLimits),
    section('errors', 'Errors', [
      htmlTable(
        ['Status', 'Meaning'],
        documentedFailures(protocol)
          .toSorted((a, b) => status[a] - status[b])
          .map((kind) => [
            `<a href="${escapeHtml(`${errorsPath(protocol.name)}#${codeOf(protocol, kind)}`)}">${status[kind]}</a>`,
            FAILURE_DESCRIPTIONS[kind],
          ]),
      ),
      `<p><a href="${errorsPath(protocol.name)}">Every error, with what to do about it</a></p>`,
    ]),
    absentSection(protocol),
  ];
  return {
    title: protocol.title,
    body: `<p>${escapeWithCode(protocol.description)}</p>${sections.join('')}`,
  };
}

function linked(text: string, href: string | undefined): string {
  return href === undefined ? text : `<a href="${escapeHtml(href)}">${text}</a>`;
}

function absentSection({ absentParts }: ApiProtocol): string {
  if (absentParts === undefined) return '';
  const rows = absentParts.map(({ what, paths }) => [
    escapeHtml(what),
    paths.map((path) => `<code>${escapeHtml(path)}</code>`).join(' '),
  ]);
  return section('differences', 'What this server does not have', [
    '<p>Calls below these paths are answered with 404, and the message says so.</p>',
    htmlTable(['Part', 'Paths'], rows, 'stacked'),
  ]);
}

function overrideWords({ override }: ApiProtocol): string {
  if (override === undefined) return '';
  const from = override.from === undefined ? '' : ` of ${override.from.join(', ')}`;
  return `<p>Calls with a token may name the verb they mean in the ${override.in === 'header' ? 'header' : 'query parameter'}
    <code>${override.name}</code> instead${from}: ${override.to.join(', ')}.</p>`;
}

/** With what the reader has left, which the script fills in from their session. */
export function limitsPage(apis: readonly Api[], limits: Limits): DocsContent {
  const parts = apis.map(({ protocol }) =>
    section(protocol.name, protocol.title, [limitTable(protocol, limits)]),
  );
  const words = `<p>How many calls each caller may make in a window of time. While you are logged in to the console, the tables also say how
    much of the present window you have used. Over a limit, an error says how long to wait, also in the header
    <code>Retry-After</code>.</p>`;
  return { title: 'Rate limits', body: words + parts.join('') };
}

function limitTable({ name, limits: plan }: ApiProtocol, limits: Limits): string {
  if (!limits.enabled) return '<p>Rate limits are off on this server.</p>';
  const rows = Object.keys(plan.quotas).map((category) => {
    const { known, anonymous, seconds } = limits.quotas[`${name}.${category}`]!;
    const cell = `<span data-limit="${escapeHtml(`${name}.${category}`)}">${escapeHtml(category)}</span>`;
    return [cell, ...[known, anonymous].map(inWords), `${inWords(seconds)} s`];
  });
  return htmlTable(['Category', 'With a token', 'Without', 'Window'], rows);
}

function secondarySection({ limits }: ApiProtocol, { enabled, quotas }: SecondaryLimits): string {
  if (limits.secondary === undefined) return '';
  const { concurrent, pointsPerMinute, contentPerMinute, contentPerHour } = quotas;
  const rows = [
    ['Calls at the same time', concurrent],
    ...Object.entries(pointsPerMinute).map(([kind, most]) => [`Points per minute, ${kind}`, most] as const),
    ['Calls that create something, per minute', contentPerMinute],
    ['Calls that create something, per hour', contentPerHour],
  ] as const;
  const words = `<p>Beside its budgets each caller has these limits. Points are counted for each operation: a read costs 1, a
    change 5. A minute is the last one before a call, whenever that comes. Who exceeds them gets an error that says how long to wait, also in the header <code>Retry-After</code>; the
    call counts against no budget.</p>`;
  const table = htmlTable(
    ['Limit', 'At most'],
    rows.map(([what, most]) => [escapeHtml(what), most === 0 ? 'any' : inWords(most)]),
  );
  const parts = enabled ? [words, table] : ['<p>Secondary rate limits are off on this server.</p>'];
  return section('secondary-rate-limits', 'Secondary rate limits', parts);
}

function inWords(number: number): string {
  return number.toLocaleString('en');
}

function section(id: string, title: string, parts: string[]): string {
  return `<section><h2 id="${id}">${title}</h2>${parts.join('\n')}</section>`;
}

function whoMay(access: RouteAccess): string {
  if (typeof access === 'object') return `<code>${access.action}</code>`;
  return access === 'anyone' ? 'anyone' : 'any token';
}
