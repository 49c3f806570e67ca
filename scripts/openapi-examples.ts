// Writes docs/openapi/examples/<api>.json: for each operation one call that a conformance test made, and its reply. Ids, times
// and secrets are replaced by constants, so that the files change only when the API does. <api>.versions.json has calls under two
// versions, for the pages of versions. `npm run openapi:examples`, or
// `npm run openapi:examples -- host` for one API, from the tests whose names begin with it.
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { apis } from '../src/app/apis.ts';
import type { Api } from '../src/kernel/http/protocol.ts';
import { readExamples, type Example, type Examples } from '../src/kernel/openapi/examples.ts';
import { describeApi } from '../src/kernel/openapi/document.ts';
import { findOperation } from './find-operation.ts';
import { withoutRemoved } from './newest-shape.ts';
import { normaliseExample } from './normalise-example.ts';
import { WITHOUT_EXAMPLE } from './openapi-no-example.ts';
import { operationsOf, problemWith, type Operation } from './openapi-operations.ts';
import type { RecordedCall } from '../test/recorder.ts';
import { changesWithoutExample, chooseVersionExamples } from './version-examples.ts';

const SEMANTIC = 'application/json; domain-model=flagservice.semanticpatch';
const ROOT = dirname(import.meta.dirname);
/** Tests of what goes wrong, and those that take long, have no examples for readers. */
const WITHOUT =
  /bad-|memory|large|s3|streams|every|cors|access\/session\.|conformance\/session-|errors|error-types|power|limits|permissions|(datasets|import)-access|segments\/access|secrets/;

/** Of a call and its reply together, in characters: longer ones are taken only where there is no other. */
const LONG = 4000;

/** Worse than anything that `rankOf` tells. */
const OLDER = 2 ** 9;

/** Operations whose replies are drawn by lot: they stay as they were. */
const BY_CHANCE: ReadonlySet<string> = new Set(['meta/get-zen', 'meta/get-octocat']);

const [chosenApi = ''] = process.argv.slice(2);
const calls = recordCalls();
for (const api of apis.filter(({ protocol }) => protocol.name.startsWith(chosenApi))) {
  const { name } = api.protocol;
  const file = join(ROOT, 'docs/openapi/examples', `${name}.json`);
  const examples = keepChance(chooseExamples(api, calls), await readExamples(name));
  writeFileSync(file, `${JSON.stringify(examples, null, 2)}\n`);
  console.log(`${name}: ${Object.keys(examples).length} examples`);
  if (api.protocol.versions.names.length > 1) writeVersionExamples(api);
}

/** docs/openapi/examples/<api>.versions.json: for each change the same call under two versions. */
function writeVersionExamples(api: Api): void {
  const { name } = api.protocol;
  const file = join(ROOT, 'docs/openapi/examples', `${name}.versions.json`);
  const examples = chooseVersionExamples(api, calls);
  writeFileSync(file, `${JSON.stringify(examples, null, 2)}\n`);
  for (const title of changesWithoutExample(api, examples))
    console.warn(`${name}: no test makes the same call under both versions for: ${title}`);
}

function keepChance(chosen: Examples, before: Examples): Examples {
  const entries = Object.entries(chosen).map(([id, example]) => [
    id,
    BY_CHANCE.has(id) ? (before[id] ?? example) : example,
  ]);
  return Object.fromEntries(entries) as Examples;
}

/** In one process, so that they come in the same order each time. */
function recordCalls(): RecordedCall[] {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-examples-'));
  const file = join(folder, 'calls.jsonl');
  const tests = globSync(`test/conformance/{,${chosenApi || '*'}/**/}*.test.ts`, { cwd: ROOT }).filter(
    (path) => !WITHOUT.test(path),
  );
  const run = spawnSync(process.execPath, ['test/run.ts', '--processes=1', ...tests.toSorted()], {
    cwd: ROOT,
    env: { ...process.env, SIGNALBOX_RECORD_CALLS: file },
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (run.status !== 0) throw new Error(`The tests failed:\n${run.stdout.slice(-2000)}`);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  rmSync(folder, { recursive: true });
  return lines.map((line) => JSON.parse(line) as RecordedCall);
}

/** In the order of the operations' ids. */
function chooseExamples(api: Api, recorded: readonly RecordedCall[]): Examples {
  const document = describeApi(api, api.protocol.versions.names.at(-1)!, {});
  const operations = new Map(operationsOf(document).map((one) => [one.operation.operationId, one.operation]));
  const best = new Map<string, { example: Example; rank: number }>();
  for (const call of recorded) {
    const { id, isOlder } = findOperation(api, call) ?? {};
    const operation = id === undefined ? undefined : operations.get(id);
    if (id === undefined || operation === undefined || Object.hasOwn(WITHOUT_EXAMPLE, id)) continue;
    const recordedExample = toExample(call, operation);
    if (recordedExample === undefined) continue;
    const example = isOlder
      ? toNewest(recordedExample, operation, document.components.schemas)
      : recordedExample;
    // A call in the newest version is better than any that was converted.
    const rank = rankOf(example, operation) + (isOlder ? OLDER : 0);
    const known = best.get(id)?.rank ?? Infinity;
    if (rank < known && isGood(example, operation)) best.set(id, { example, rank });
  }
  const sorted = [...best].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([id, { example }]) => [id, example]));

  function isGood({ request, reply }: Example, { requestBody, responses }: Operation): boolean {
    const sent = request && requestBody?.content[request.type];
    const [media] = Object.values(responses[reply!.status]?.content ?? {});
    if (sent && problemWith(request.body, sent.schema, document) !== undefined) return false;
    if (reply!.body === undefined || media === undefined) return true;
    const problem = problemWith(reply!.body, media.schema, document);
    return problem === undefined;
  }
}

/** An example in the shapes of the newest version, as far as leaving out what was removed makes them. */
function toNewest(
  { request, reply }: Example,
  { requestBody, responses }: Operation,
  schemas: Record<string, unknown>,
): Example {
  const [media] = Object.values(responses[reply!.status]?.content ?? {});
  const convert = (body: unknown, schema: unknown) => withoutRemoved(body, schema ?? {}, schemas);
  return {
    ...(request && {
      request: { ...request, body: convert(request.body, requestBody?.content[request.type]?.schema) },
    }),
    reply: { ...reply!, ...(reply!.body !== undefined && { body: convert(reply!.body, media?.schema) }) },
  };
}

/** Undefined for a call that shows nothing of what the document describes. */
function toExample(call: RecordedCall, { requestBody, responses }: Operation): Example | undefined {
  const described = responses[call.status];
  if (described === undefined) return undefined;
  const [type] = Object.keys(described.content ?? {});
  const sentType = mediaTypeOf(call.headers['content-type'] ?? '', Object.keys(requestBody?.content ?? {}));
  const reply = { status: call.status, ...(type !== undefined && bodyOf(call.text, call.type)) };
  const sent = call.sent === undefined ? undefined : bodyOf(call.sent, call.headers['content-type'] ?? '');
  const request =
    sentType === undefined || sent?.body === undefined
      ? {}
      : { request: { type: sentType, body: sent.body } };
  return normaliseExample({ ...request, reply });
}

/** Its name in the document: what was sent may have it with another vendor, or with a charset. */
function mediaTypeOf(sent: string, described: readonly string[]): string | undefined {
  const isSemantic = sent.includes('semanticpatch');
  return described.find((type) => type.includes('semanticpatch') === isSemantic) ?? described[0];
}

/** Bytes that are no text are no example. */
function bodyOf(text: string, type: string): { body?: unknown } {
  if (text === '' || text.includes('\uFFFD')) return {};
  if (type.startsWith('application/json')) {
    try {
      return { body: JSON.parse(text) as unknown };
    } catch {
      return {};
    }
  }
  if (type.startsWith('multipart/form-data')) return { body: formOf(text) };
  return /^(text\/|image\/svg|application\/octocat-)/.test(type) ? { body: text } : {};
}

/** The fields of a form, a file as its content. */
function formOf(text: string): Record<string, string> {
  const fields = [...text.matchAll(/name="(\w+)"[^]*?\r\n\r\n([^]*?)\r\n--/g)];
  return Object.fromEntries(fields.map(([, name, value]) => [name!, value!]));
}

/** The first of the lowest rank is taken: the usual status, with all bodies, a list with something in it, not too long. */
function rankOf({ request, reply }: Example, { requestBody, responses }: Operation): number {
  const usual = Number(Object.keys(responses).find((status) => status.startsWith('2')));
  const length = JSON.stringify([request, reply]).length;
  const { items, data } = (reply!.body ?? {}) as { items?: unknown[]; data?: { items?: unknown[] } };
  const list = items ?? data?.items;
  return [
    reply!.status !== usual,
    responses[usual]?.content !== undefined && reply!.body === undefined,
    requestBody !== undefined && request === undefined,
    Array.isArray(list) && list.length === 0,
    length > LONG,
    request !== undefined &&
      !request.type.includes('semantic') &&
      requestBody?.content[SEMANTIC] !== undefined,
    Array.isArray(list) && list.length > 1,
    length > LONG / 4,
  ].reduce((rank, isWorse, index) => rank + (isWorse ? 2 ** (8 - index) : 0), 0);
}
