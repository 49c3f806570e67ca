// The page of one version: its dates, how it is selected, and for each of its changes what to do, where, and an example.
import type { DocsContent } from './docs-frame.ts';
import { choiceWords, stateOf } from './docs-versions.ts';
import type { Api } from '../http/protocol.ts';
import { escapeHtml, escapeWithCode, htmlTable } from '../http/pages/html.ts';
import { describedPath } from '../http/path-template.ts';
import type { RouteShape } from '../http/route.ts';
import { idsIn } from '../schema/schema-walk.ts';
import { mapInSlices } from '../yield-to-event-loop.ts';
import {
  ADDED_ANCHOR,
  affectedOperations,
  changedFieldsOf,
  changeGroupsOf,
  REMOVED_ANCHOR,
  versionPath,
  type AffectedOperation,
  type ChangedField,
  type ChangeGroup,
} from '../versions/version-effects.ts';
import { LEFT_OUT, type ExampleReply, type VersionExample, type VersionExamples } from './examples.ts';
import { allVersions, supportedUntil, schemasOf, type VersionTable } from '../versions/version.ts';

/** Longer lists of operations are folded. */
const SHOWN_OPERATIONS = 6;

export function versionPage(api: Api, version: string, examples: VersionExamples = {}): DocsContent {
  const writing = writePageInSteps(api, version, examples);
  let step = writing.next();
  while (!step.done) step = writing.next();
  return step.value;
}

/** Without holding the event loop: a change may be about hundreds of operations. */
export async function makeVersionPage(
  api: Api,
  version: string,
  examples: VersionExamples,
): Promise<DocsContent> {
  // The first look at the schemas of a route takes longest.
  await mapInSlices(api.routes, ({ shape }) => schemasOf(shape).map(idsIn));
  const writing = writePageInSteps(api, version, examples);
  let step = writing.next();
  while (!step.done) {
    await new Promise(setImmediate);
    step = writing.next();
  }
  return step.value;
}

/** Pauses after each change. */
function* writePageInSteps(
  api: Api,
  version: string,
  examples: VersionExamples,
): Generator<void, DocsContent, void> {
  const { name, title, versions } = api.protocol;
  const groups = changeGroupsOf(version, versions);
  const shapes = api.routes.map(({ shape }) => shape);
  const added = shapes.filter(({ since }) => since === version);
  const removed = shapes.filter(({ until }) => until === version);
  const links = [
    `<a href="/docs/${name}/versions">All versions</a>`,
    `<a href="/docs/${name}/${version}.json">OpenAPI</a>`,
    ...(versions.headers === undefined || groups.length + removed.length === 0
      ? []
      : [reportLink(name, version)]),
  ];
  const parts = [
    `<p>${links.join(' · ')}</p>`,
    datesOf(version, versions),
    announcement(version, versions),
    choiceWords(versions),
    selectionOf(version, versions),
    ...(yield* changeParts(api, { groups, removed }, examples[version] ?? {})),
    operationList(ADDED_ANCHOR, 'Added operations', added),
    operationList(REMOVED_ANCHOR, 'Removed operations', removed),
    groups.length + added.length + removed.length > 0 ? '' : nothingChanged(version, versions),
  ];
  return {
    title: `${title}, version ${version}`,
    body: parts.filter((part) => part !== '').join('\n'),
  };
}

function reportLink(api: string, version: string): string {
  return `<a href="${versionPath(api, version)}/impact">Which of my calls would change?</a>`;
}

function datesOf(version: string, versions: VersionTable): string {
  const all = allVersions(versions);
  const successor = all[all.indexOf(version) + 1];
  const floor = supportedUntil(versions, version);
  // Versions that are not named by their date say nothing of it.
  const isDate = /^\d{4}-\d\d-\d\d$/.test(version);
  const isAnnounced = versions.announced?.includes(version) === true;
  const cells: [string, string][] = [['State', stateOf(version, versions)]];
  if (isDate) cells.push([isAnnounced ? 'To be released' : 'Released', version]);
  if (successor !== undefined) cells.push(['Superseded', successor]);
  if (floor !== undefined) cells.push(['Supported until at least', isoDay(floor)]);
  return htmlTable(
    cells.map(([head]) => head),
    [cells.map(([, cell]) => cell)],
  );
}

function isoDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function announcement(version: string, versions: VersionTable): string {
  if (versions.announced?.includes(version) !== true) return '';
  return `<p><strong>This version is announced, and not released yet.</strong> Calls that ask for it get an error. Until it is
    released its changes may still change; afterwards the version before it stays supported for at least 24 months. Replies of
    the operations below already have the header <code>Link</code>, and where the call names its version or the operation is
    removed, <code>Deprecation</code> and <code>Sunset</code>.</p>`;
}

function selectionOf(version: string, { headers = [], announced = [] }: VersionTable): string {
  const [header] = headers;
  if (header === undefined) return '';
  const when = announced.includes(version) ? 'As soon as it is released' : 'For this version';
  return `<p>${when}, send <code>${header}: ${version}</code>. The reply says in
    <code>${header}-Selected</code> which version answered.</p>`;
}

function nothingChanged(version: string, versions: VersionTable): string {
  return allVersions(versions)[0] === version
    ? '<p>It is the first version, so it changes nothing.</p>'
    : '<p>It changes nothing for callers of the version before it.</p>';
}

function* changeParts(
  api: Api,
  { groups, removed }: { groups: readonly ChangeGroup[]; removed: readonly RouteShape[] },
  examples: Readonly<Record<string, VersionExample>>,
): Generator<void, string[], void> {
  if (groups.length === 0) return [];
  const items = groups.map(
    ({ anchor, title }) => `<li><a href="#${anchor}">${escapeWithCode(title)}</a></li>`,
  );
  if (removed.length > 0) {
    const [first] = removed as [RouteShape];
    const title = removed.length === 1 ? `Operation ${callOf(first)} removed` : 'Removed operations';
    items.push(`<li><a href="#${REMOVED_ANCHOR}">${title}</a></li>`);
  }
  const parts = [`<h2 id="changes">Changes</h2><ul>${items.join('')}</ul>`];
  for (const group of groups) {
    const affected: AffectedOperation[] = [];
    for (const change of group.changes) {
      affected.push(...affectedOperations(change, api));
      yield;
    }
    parts.push(changePart(group, mergeOperations(affected), examples[group.anchor]));
  }
  return parts;
}

function changePart(
  group: ChangeGroup,
  affected: readonly AffectedOperation[],
  example: VersionExample | undefined,
): string {
  const { title, advice, anchor, changes } = group;
  const [first] = changes;
  const variant = first !== undefined && 'only' in first ? first.only : undefined;
  return [
    `<section><h3 id="${anchor}">${escapeWithCode(title)}</h3>`,
    `<p><strong>What to do:</strong> ${escapeWithCode(advice)}</p>`,
    variant === undefined
      ? ''
      : `<p>Only callers whose <code>Accept</code> asks for <code>${escapeHtml(variant)}</code> notice it.</p>`,
    fieldList(changes.flatMap(changedFieldsOf)),
    headChanges(group),
    operationsOf(affected),
    example === undefined ? '' : examplePart(example),
    '</section>',
  ].join('\n');
}

function fieldList(fields: readonly ChangedField[]): string {
  const byName = new Map(fields.map((field) => [field.name, field.kind]));
  if (byName.size === 0) return '';
  const items = [...byName].map(([name, kind]) => `<code>${escapeHtml(name)}</code> ${kind}`);
  return `<p>Fields: ${items.join(', ')}.</p>`;
}

/** What operations answer with, where a change is not about a resource. */
function headChanges({ changes }: ChangeGroup): string {
  return changes
    .flatMap((change) => ('operations' in change ? [change] : []))
    .map(({ status, contentType }) => [
      ...(status === undefined ? [] : [`Status <code>${status.before}</code> is <code>${status.now}</code>`]),
      ...(contentType === undefined
        ? []
        : [`Content type <code>${contentType.before}</code> is <code>${contentType.now}</code>`]),
    ])
    .map((parts) => `<p>${parts.join('; ')}.</p>`)
    .join('');
}

/** Several changes of a group may be about the same operation. */
function mergeOperations(operations: readonly AffectedOperation[]): AffectedOperation[] {
  const merged = new Map<string, AffectedOperation>();
  for (const one of operations) {
    const known = merged.get(one.shape.id);
    merged.set(one.shape.id, known === undefined || known.in === one.in ? one : { ...one, in: 'both' });
  }
  return [...merged.values()];
}

const WHERE = { request: 'request', reply: 'reply', both: 'request and reply' } as const;

function operationsOf(operations: readonly AffectedOperation[]): string {
  const items = operations
    .toSorted((a, b) => (a.shape.path < b.shape.path ? -1 : a.shape.path > b.shape.path ? 1 : 0))
    .map((one) => `<li>${callOf(one.shape)} (${WHERE[one.in]})</li>`);
  return folded(`${items.length} affected operations`, items);
}

function operationList(anchor: string, title: string, shapes: readonly RouteShape[]): string {
  if (shapes.length === 0) return '';
  const items = shapes.map((shape) => {
    const { summary, description } = shape;
    // The description of an operation that ends says what is there instead.
    return `<li>${callOf(shape)}: ${escapeHtml(description === undefined ? summary : `${summary}. ${description}`)}</li>`;
  });
  return `<h2 id="${anchor}">${title}</h2>${folded(`${items.length} operations`, items)}`;
}

function folded(summary: string, items: readonly string[]): string {
  const list = `<ul>${items.join('')}</ul>`;
  return items.length <= SHOWN_OPERATIONS ? list : `<details><summary>${summary}</summary>${list}</details>`;
}

function callOf({ method, path }: RouteShape): string {
  return `<code>${method} ${escapeHtml(describedPath(path))}</code>`;
}

function examplePart({ call, accept, request, before, after }: VersionExample): string {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const header = accept === undefined ? '' : ` with <code>Accept: ${escapeHtml(accept)}</code>`;
  const sent =
    request === undefined
      ? ''
      : `<figure><figcaption>Sent</figcaption>${shownLines(jsonLines(request), jsonLines(request))}</figure>`;
  return `<p>Example: <code>${escapeHtml(call)}</code>${header}</p>
    ${sent === '' ? '' : `<div class="pair">${sent}</div>`}
    <div class="pair">
    <figure><figcaption>Before</figcaption>${shownLines(old, fresh)}</figure>
    <figure><figcaption>After</figcaption>${shownLines(fresh, old)}</figure></div>`;
}

function linesOf({ status, type, body }: ExampleReply): string[] {
  return [
    `HTTP ${status}`,
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ...(body === undefined ? [] : jsonLines(body)),
  ];
}

function jsonLines(body: unknown): string[] {
  const leftOut = new RegExp(`^( *)"${LEFT_OUT}".*$`);
  return JSON.stringify(body, null, 2)
    .split('\n')
    .map((line) => line.replace(leftOut, `$1${LEFT_OUT}`));
}

/** Lines that the other side does not have are marked. */
function shownLines(lines: readonly string[], others: readonly string[]): string {
  const known = new Set(others.map(bare));
  const shown = lines.map((line) => {
    const text = escapeHtml(line);
    return known.has(bare(line)) ? text : `<mark>${text}</mark>`;
  });
  return `<pre tabindex="0"><code>${shown.join('\n')}</code></pre>`;
}

/** A comma depends on what follows. */
function bare(line: string): string {
  return line.replace(/,$/, '');
}
