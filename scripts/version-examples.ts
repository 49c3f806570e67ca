// Chooses for each change of a version one call that tests made under the version before and under the version itself.
import type { Api } from '../src/kernel/http/protocol.ts';
import { describedPath } from '../src/kernel/http/path-template.ts';
import {
  affectedOperations,
  changedFieldsOf,
  changeGroupsOf,
  type ChangeGroup,
} from '../src/kernel/versions/version-effects.ts';
import type { ExampleReply, VersionExample, VersionExamples } from '../src/kernel/openapi/examples.ts';
import type { BreakingChange } from '../src/kernel/versions/version.ts';
import type { RecordedCall } from '../test/recorder.ts';
import { findOperation, versionOfCall } from './find-operation.ts';
import { normaliseExample } from './normalise-example.ts';
import { countOtherDifferences, trimDifference, type Trimming } from './trim-difference.ts';

interface KnownCall extends RecordedCall {
  id: string;
  version: string;
}

/** Of an example, in characters: a reader compares it at a glance. */
const MAX_LENGTH = 3000;

/** As many values that differ for other reasons weigh as much as a call that is not the same. */
const MANY_DIFFERENCES = 4;

/** Of calls of the new version that an old one is compared with. */
const MAX_ALIKE = 4;

/** Of each operation, so that the work does not grow with the square of the calls. */
const MAX_PAIRS = 200;

export function chooseVersionExamples(api: Api, recorded: readonly RecordedCall[]): VersionExamples {
  const { versions } = api.protocol;
  const calls = recorded.flatMap((call): KnownCall[] => {
    const found = findOperation(api, call);
    const version = versionOfCall(api, call);
    return found === undefined || version === undefined ? [] : [{ ...call, id: found.id, version }];
  });
  const byOperation = Map.groupBy(calls, ({ id }) => id);
  const chosen: Record<string, Record<string, VersionExample>> = {};
  for (const [index, version] of versions.names.entries()) {
    const previous = versions.names[index - 1];
    if (previous === undefined) continue;
    for (const group of changeGroupsOf(version, versions)) {
      const example = exampleOf(group, { api, byOperation, previous });
      if (example !== undefined) (chosen[version] ??= {})[group.anchor] = example;
    }
  }
  return chosen;
}

/** The titles of the changes that no test shows. */
export function changesWithoutExample({ protocol: { versions } }: Api, examples: VersionExamples): string[] {
  return versions.names
    .flatMap((version) => changeGroupsOf(version, versions).map((group) => ({ version, ...group })))
    .filter(({ version, anchor }) => examples[version]?.[anchor] === undefined)
    .map(({ title }) => title);
}

interface Choice {
  api: Api;
  byOperation: ReadonlyMap<string, readonly KnownCall[]>;
  previous: string;
}

function exampleOf(group: ChangeGroup, { api, byOperation, previous }: Choice): VersionExample | undefined {
  const { changes } = group;
  const [{ version }] = changes as [BreakingChange];
  const affected = new Map(
    changes.flatMap((change) => affectedOperations(change, api).map(({ shape }) => [shape.id, shape])),
  );
  let best: { example: VersionExample; rank: number } | undefined;
  for (const [id, { method, path }] of affected) {
    const calls = (byOperation.get(id) ?? []).filter((call) => isOfVariant(call, changes));
    const olds = calls.filter((call) => call.version === previous);
    const news = calls.filter((call) => call.version === version);
    for (const { before, after, distance } of pairsOf(olds, news)) {
      if (distance * MAX_LENGTH >= (best?.rank ?? Infinity)) break;
      const trimmed = trimPair(group, before, after);
      if (trimmed === undefined) continue;
      const found = { call: `${method} ${describedPath(path)}`, ...trimmed };
      const { length } = JSON.stringify(found);
      // A resource by itself is easier to read than a list.
      const least = (distance + (Array.isArray(found.after.body) ? 0.5 : 0)) * MAX_LENGTH + length;
      if (length >= MAX_LENGTH || least >= (best?.rank ?? Infinity)) continue;
      const example = normaliseExample(found as never) as unknown as VersionExample;
      const rank = least + othersIn(example, changes) * MAX_LENGTH;
      if (rank < (best?.rank ?? Infinity)) best = { example, rank };
    }
  }
  return best?.example;
}

/** What differs for other reasons than the change, up to 1. */
function othersIn({ before, after }: VersionExample, changes: readonly BreakingChange[]): number {
  const fields = new Set(namesIn(changes));
  return Math.min(countOtherDifferences(before.body, after.body, fields) / MANY_DIFFERENCES, 1);
}

function namesIn(changes: readonly BreakingChange[]): string[] {
  return changes.flatMap(changedFieldsOf).map(({ name }) => name);
}

function isOfVariant({ headers }: KnownCall, changes: readonly BreakingChange[]): boolean {
  const [first] = changes;
  const variant = first !== undefined && 'only' in first ? first.only : undefined;
  const asked = /\/vnd\.[\w-]+\.(beta)\b/.exec(headers['accept'] ?? '')?.[1];
  return asked === variant;
}

/** The same call first: then one with the same path, then any of the operation. */
function* pairsOf(olds: readonly KnownCall[], news: readonly KnownCall[]) {
  const levels = [
    (call: KnownCall) => `${call.path} ${call.headers['accept']} ${call.sent}`,
    (call: KnownCall) => `${call.path} ${call.headers['accept']} ${keysOf(call.sent)}`,
    (call: KnownCall) => `${call.headers['accept']} ${keysOf(call.sent)}`,
  ];
  for (const [distance, keyOf] of levels.entries()) {
    const byKey = Map.groupBy(news, keyOf);
    for (const before of olds.slice(0, MAX_PAIRS)) {
      for (const after of byKey.get(keyOf(before))?.slice(0, MAX_ALIKE) ?? [])
        yield { before, after, distance };
    }
  }
}

function keysOf(sent: string | undefined): string {
  const body = parse(sent);
  return typeof body === 'object' && body !== null ? Object.keys(body).join() : '';
}

function trimPair(
  { changes, title, advice }: ChangeGroup,
  before: KnownCall,
  after: KnownCall,
): Omit<VersionExample, 'call'> | undefined {
  const [first] = changes;
  if (first === undefined) return undefined;
  if ('operations' in first) {
    const { status, contentType } = first;
    const isStatus = status?.before === before.status && status.now === after.status;
    const isType =
      contentType !== undefined &&
      before.type.startsWith(contentType.before) &&
      after.type.startsWith(contentType.now);
    return isStatus || isType ? { before: headOf(before, isType), after: headOf(after, isType) } : undefined;
  }
  const fields = new Set(namesIn(changes));
  const around = [...`${title} ${advice}`.matchAll(/`([\w.]+)`/g)].map(([, name]) => name!);
  const trimming = { fields, around: around.filter((name) => !fields.has(name)) };
  const bodies = trimDifference(parse(before.text), parse(after.text), trimming);
  if (bodies === undefined) return undefined;
  const accept = 'only' in first && first.only !== undefined ? before.headers['accept'] : undefined;
  const request = requestOf(before.sent, trimming);
  return {
    ...(accept !== undefined && { accept }),
    ...(request !== undefined && { request }),
    before: { status: before.status, body: bodies.before },
    after: { status: after.status, body: bodies.after },
  };
}

function headOf({ status, type }: KnownCall, hasType: boolean): ExampleReply {
  return { status, ...(hasType && { type }) };
}

/** Where it has one of the fields: the fields, with what is around them. */
function requestOf(sent: string | undefined, trimming: Trimming): unknown {
  const body = parse(sent);
  if (typeof body !== 'object' || body === null) return undefined;
  const names = Object.keys(body);
  const without = Object.fromEntries(Object.entries(body).filter(([name]) => !trimming.fields.has(name)));
  return names.some((name) => trimming.fields.has(name))
    ? trimDifference(body, without, trimming)?.before
    : undefined;
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}
