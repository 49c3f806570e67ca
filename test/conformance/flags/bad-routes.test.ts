// Bad input for every route of the flag service, generated from its schemas: the right status, an error object, no change.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { flagsApi } from '../../../src/flags/api.ts';
import type { RouteShape } from '../../../src/kernel/http/route.ts';
import type { JsonSchema } from '../../../src/kernel/schema/schema.ts';
import { onEachEngine } from '../../engines.ts';
import type { CallInit, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';
import { BETA, pathFor, SEMANTIC, createSampleResources, type SampleResources } from './sample-resources.ts';
import { ONLY_INSTRUCTIONS, WRITES } from './writes.ts';

type Body = Record<string, unknown>;

/** Values that are not of the schema's type. */
function wrongFor({ type, enum: words }: JsonSchema & { enum?: unknown[] }): unknown[] {
  const others = words === undefined ? [] : ['none-of-them'];
  switch (type) {
    case 'string':
      return [5, true, [], {}, ...others];
    case 'integer':
      return ['x', 1.5, true, {}];
    case 'number':
      return ['x', true, {}];
    case 'boolean':
      return ['perhaps', 1, {}];
    case 'array':
      return ['x', 5, {}];
    case 'object':
      return ['x', 5, []];
    default:
      return [];
  }
}

/** Variants of the valid body, each wrong in one way. */
function* spoil(schema: JsonSchema, good: unknown): Generator<{ what: string; body: unknown }> {
  for (const body of wrongFor(schema)) yield { what: `a body ${JSON.stringify(body)}`, body };
  const element = schema.type === 'array' ? (schema.items as JsonSchema) : undefined;
  if (element?.properties !== undefined && Array.isArray(good)) {
    for (const { what, body } of spoil(element, good[0]))
      yield { what: `an element with ${what}`, body: [body] };
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    for (const value of wrongFor(property)) {
      yield { what: `${name} ${JSON.stringify(value)}`, body: { ...(good as Body), [name]: value } };
    }
  }
  for (const name of schema.required ?? []) {
    const { [name]: _, ...rest } = good as Body;
    yield { what: `no ${name}`, body: rest };
  }
}

/** Valid as merge patches only. */
const ONLY_FIELDS = new Set(['patchApprovalRequestSettings']);

const fly = { kind: 'fly' };
const operation = { op: 'replace', path: '/name', value: 'x' };

/** The status for routes that take JSON patches; routes that take only instructions reply 422 to each of these. */
const BAD_PATCHES: { what: string; status: number[]; body: unknown; headers?: Record<string, string> }[] = [
  { what: 'a number', status: [422], body: '5' },
  { what: 'null', status: [422], body: 'null' },
  { what: 'an unknown operation', status: [422], body: [{ op: 'shake', path: '/name' }] },
  { what: 'a path that is none', status: [422], body: [{ ...operation, path: 'name' }] },
  { what: 'an unknown path', status: [400, 422], body: [{ ...operation, path: '/no/such/thing' }] },
  { what: 'a member of the server', status: [400], body: [{ op: 'add', path: '/_links', value: {} }] },
  { what: 'a test that fails', status: [409], body: [{ op: 'test', path: '/_links', value: 'not so' }] },
  { what: 'a comment alone', status: [422], body: { comment: 'why' } },
  { what: 'a patch that is no list', status: [422], body: { patch: operation } },
  { what: 'a merge that is no object', status: [422], body: { comment: 'why', merge: [] } },
  { what: 'patch and merge', status: [422], body: { patch: [operation], merge: { name: 'x' } } },
  { what: 'instructions without the content type', status: [400], body: { instructions: [fly] } },
  { what: 'no instruction', status: [422], body: { instructions: [] }, headers: SEMANTIC },
  { what: 'an instruction without a kind', status: [422], body: { instructions: [{}] }, headers: SEMANTIC },
  {
    what: 'an unknown instruction',
    status: [422],
    body: { environmentKey: 'test', instructions: [fly] },
    headers: SEMANTIC,
  },
  {
    what: 'a comment that is no text',
    status: [422],
    body: { comment: 5, instructions: [fly] },
    headers: SEMANTIC,
  },
];

function statusesOf(id: string, ofJsonPatches: number[]): number[] {
  if (ONLY_INSTRUCTIONS.has(id)) return [422];
  return ONLY_FIELDS.has(id) ? [422, ...ofJsonPatches.filter((status) => status === 400)] : ofJsonPatches;
}

const ANY_BODY: { what: string; init: CallInit; status: number[] }[] = [
  { what: 'malformed JSON', init: { body: '{"a":' }, status: [400] },
  { what: 'text', init: { body: 'hello', headers: { 'content-type': 'text/plain' } }, status: [400] },
];

test('F17 F20 every route that takes nothing but instructions is among those that are walked as such', () => {
  const patches = flagsApi.routes.filter(({ shape }) => shape.method === 'PATCH').map(({ shape }) => shape);
  const ids = new Set(patches.map(({ id }) => id));
  assert.deepEqual(
    [...ONLY_INSTRUCTIONS].filter((id) => !ids.has(id)),
    [],
  );
});

onEachEngine((testEngine) => {
  let server: TestServer;
  let samples: SampleResources;

  before(async () => {
    server = await startServerOn(testEngine, { limits: 'off' });
    samples = await createSampleResources(server, 'bad');
    samples.parameters['deliveryId'] = '0'.repeat(24);
  });
  after(() => server.stop());

  /** Every change has an audit entry. */
  const entries = async (): Promise<unknown> => {
    const { db } = server.app.kernel;
    return await db.selectFrom('events').select('seq').orderBy('seq', 'desc').limit(1).executeTakeFirst();
  };

  /** Refused with the error object, and nothing changed. */
  async function refuse(
    shape: RouteShape,
    init: CallInit,
    what: string,
    status = [400, 409, 413, 422],
    path?: string,
  ) {
    const known = await entries();
    const url = (path ?? pathFor(samples, shape)!) + (WRITES[shape.id]?.query ?? '');
    const headers = { ...BETA, ...init.headers };
    const answer = await server.call(url, { ...init, method: shape.method, headers });
    const told = `${shape.method} ${url} with ${what}: ${answer.status} ${answer.text.slice(0, 500)}`;
    assert.ok(status.includes(answer.status), told);
    assert.deepEqual(Object.keys(answer.json).slice(0, 3), ['code', 'message', 'id'], told);
    assert.equal(typeof answer.json['message'], 'string', told);
    assert.deepEqual(await entries(), known, told);
  }

  for (const { shape } of flagsApi.routes) {
    const { id, method, query, params, body } = shape;
    const write = WRITES[id];
    if (shape.access === 'anyone') continue;
    describe(`F17 F20 F33: ${id}`, () => {
      // Schemas are checked before any query runs.
      const isFirst = testEngine.kind === 'sqlite';
      if (isFirst && body !== undefined && write !== undefined && shape.streams !== true) {
        test('refuses a body that is none', async () => {
          for (const { what, init, status } of ANY_BODY) await refuse(shape, init, what, status);
        });
      }
      if (method === 'PATCH') {
        test('refuses patches that cannot be', async () => {
          for (const { what, status, ...init } of BAD_PATCHES)
            await refuse(shape, init, what, statusesOf(id, status));
        });
      } else if (isFirst && body !== undefined && write !== undefined) {
        test('refuses bodies that break its schema', async () => {
          const good = write.init(samples, 'spoilt').body;
          for (const bad of spoil(body, good)) await refuse(shape, { body: bad.body }, bad.what);
        });
      }
      if (isFirst && query !== undefined) {
        test('refuses queries that break its schema', async () => {
          const good = write?.init(samples, 'spoilt') ?? {};
          for (const [name, property] of Object.entries(query.properties as Record<string, JsonSchema>)) {
            if (property.type !== 'integer' && property.type !== 'boolean') continue;
            const path = `${pathFor(samples, shape)!}?${name}=perhaps`;
            await refuse({ ...shape, id: 'no query of its own' }, good, `${name}=perhaps`, [400], path);
          }
          for (const name of ['expand', 'sort', 'filter'].filter(
            (one) => query.properties[one] !== undefined,
          )) {
            const path = `${pathFor(samples, shape)!}?${name}=nonsense`;
            await refuse({ ...shape, id: 'no query of its own' }, good, `${name}=nonsense`, [400], path);
          }
        });
      }
      if (params !== undefined) {
        test('answers 404 for what is not there', async () => {
          const good = write?.init(samples, 'spoilt') ?? {};
          // A context need not exist to be evaluated, nor its kind or a branch to be created.
          const unknown = method === 'PUT' ? /^((context|user)(Key|Kind)|branch)$/ : /^(context|user)Key$/;
          const names = Object.keys(params.properties).filter((name) => !unknown.test(name));
          for (const name of names) {
            for (const value of ['unknown', '0'.repeat(24), 'a%20b', '-']) {
              const parameters = { ...samples.parameters, [name]: value };
              const ids =
                name === 'id'
                  ? Object.fromEntries(Object.keys(samples.ids).map((of) => [of, value]))
                  : samples.ids;
              const path = pathFor({ parameters, ids }, shape)!;
              await refuse(shape, good, `${name} ${value}`, [404], path);
            }
          }
        });
      }
    });
  }
});
