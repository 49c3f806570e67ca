// Every route of the flag service with every role: permitted calls succeed, others name the denied permission and change
// nothing.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { flagsApi } from '../../../../src/flags/api.ts';
import type { BaseRole, PolicyStatement } from '../../../../src/kernel/identity/policy.ts';
import type { RouteShape } from '../../../../src/kernel/http/route.ts';
import { giveToken, join, openBrowser, type BrowserHeaders } from '../../../people.ts';
import { startServer, type Answer, type Json, type TestServer } from '../../../server.ts';
import { BETA, pathFor, createSampleResources, type SampleResources } from '../sample-resources.ts';
import { ONLY_INSTRUCTIONS, WRITES, type Role } from '../writes.ts';

const RANKS: Record<BaseRole, number> = { no_access: 0, reader: 1, writer: 2, admin: 3, owner: 4 };

interface Walker {
  name: string;
  rank: number;
  token(server: TestServer, samples: SampleResources): Promise<string | null>;
}

const withRole = (role: BaseRole): Walker => ({
  name: role,
  rank: RANKS[role],
  async token(server) {
    const member = await join(server, `walker-${role.replace('_', '-')}`, { role });
    return (await giveToken(server, member, { role })).value;
  },
});

const ELSEWHERE: PolicyStatement[] = [{ effect: 'allow', actions: ['*'], resources: ['proj/elsewhere*'] }];

const WALKERS: Walker[] = [
  { name: 'nobody', rank: -1, token: async () => null },
  {
    name: 'an SDK key',
    rank: -1,
    async token({ call }, { parameters }) {
      const { json } = await call(`/api/v2/projects/${parameters['projectKey']}/environments/production`);
      return json['apiKey'];
    },
  },
  withRole('no_access'),
  {
    name: 'a member of another project',
    rank: 0,
    async token(server) {
      const member = await join(server, 'walker-elsewhere', { role: 'owner' });
      return (await giveToken(server, member, { inlinePolicy: ELSEWHERE })).value;
    },
  },
  withRole('reader'),
  withRole('writer'),
  withRole('admin'),
  withRole('owner'),
];

/** Routes for every token. The reply covers what the caller may see. */
const OPEN_TO_ALL = new Set(['getCallerIdentity', 'getAccount', 'getAuditLogEntries']);

/** The status if the samples lack a resource that the call needs. */
const NOT_THERE: Record<string, number> = { getWebhookDelivery: 404 };

/** Reads come first, deletions last. */
const order = Object.keys(WRITES);
const routes = flagsApi.routes
  .map(({ shape }) => shape)
  .filter(({ access }) => access !== 'anyone')
  .toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id));

test('F31 every route that writes has its entry in the table', () => {
  const missing = routes.filter(({ id, method }) => method !== 'GET' && WRITES[id] === undefined);
  assert.deepEqual(
    missing.map(({ id }) => id),
    [],
  );
});

let server: TestServer;
let browser: BrowserHeaders | undefined;
before(async () => {
  server = await startServer({ limits: 'off' });
});
after(() => server.stop());

/** Every change has an audit entry. */
const lastEntry = () =>
  server.app.kernel.db.selectFrom('events').select('seq').orderBy('seq', 'desc').limit(1).execute();

for (const [index, walker] of WALKERS.entries()) {
  describe(walker.name, () => {
    let samples: SampleResources;
    let token: string | null;
    before(async () => {
      samples = await createSampleResources(server, `${index}`);
      samples.parameters['deliveryId'] = '0'.repeat(24);
      token = await walker.token(server, samples);
    });

    for (const shape of routes) {
      const least: Role = WRITES[shape.id]?.least ?? (OPEN_TO_ALL.has(shape.id) ? 'no_access' : 'reader');
      const isLet = walker.rank >= RANKS[least];
      test(`F2 F6 F9 F10 F31 ${shape.id} is ${isLet ? 'let' : 'refused'}`, async () => {
        const known = await lastEntry();
        const answer = await walk(shape, samples, token, `${index}`);
        const told = `${shape.method} ${shape.path}: ${answer.status} ${answer.text.slice(0, 400)}`;
        checkType(answer, told);
        if (isLet) {
          const status = WRITES[shape.id]?.status ?? NOT_THERE[shape.id];
          assert.ok(status === undefined ? answer.status < 300 : answer.status === status, told);
          if (shape.query?.properties['limit'] !== undefined) checkLinks(answer, told);
          if (walker.name === 'owner') {
            await checkPages(answer, told);
            if (shape.method === 'GET') await checkItems(answer, told);
          }
        } else {
          assert.deepEqual(await lastEntry(), known, told);
          if (walker.rank < 0) checkUnknown(answer, told);
          else checkRefused(answer, told);
        }
      });
    }
  });
}

test('F20 F21 F22 a comment with a patch of any kind stands in the audit log, in plain JSON where that is enough', async () => {
  const samples = await createSampleResources(server, 'commented');
  const recorded: string[] = [];
  for (const shape of routes.filter(({ method }) => method === 'PATCH')) {
    const comment = `because of ${shape.id}`;
    const { body, headers } = WRITES[shape.id]!.init(samples, 'commented');
    const isList = Array.isArray(body);
    const known = await lastEntry();
    const { status, text } = await server.call(pathFor(samples, shape)!, {
      method: 'PATCH',
      headers: { ...BETA, ...(!ONLY_INSTRUCTIONS.has(shape.id) && headers) },
      body: isList
        ? { comment, patch: body }
        : headers === undefined
          ? { comment, merge: body }
          : { ...(body as object), comment },
    });
    assert.equal(status, 200, `${shape.id}: ${text}`);
    // A call that changes nothing has no entry.
    if (JSON.stringify(await lastEntry()) === JSON.stringify(known)) continue;
    const { json } = await server.call('/api/v2/auditlog?limit=1');
    assert.equal(json['items'][0].comment, comment, shape.id);
    recorded.push(shape.id);
  }
  assert.ok(recorded.length >= 17, recorded.join());
});

test('F31 a patch that changes nothing takes the permission to change', async () => {
  const samples = await createSampleResources(server, 'idle');
  const token = (await giveToken(server, await join(server, 'idle-reader'), { role: 'reader' })).value;
  const patches = routes.filter(({ id, method }) => method === 'PATCH' && !ONLY_INSTRUCTIONS.has(id));
  assert.ok(patches.length >= 12);
  for (const shape of patches) {
    const path = pathFor(samples, shape)!;
    const isSettings = shape.id === 'patchApprovalRequestSettings';
    const idle = isSettings ? { environmentKey: 'test', resourceKind: 'flag' } : [];
    const asReader = await server.call(path, { method: 'PATCH', headers: BETA, body: idle, token });
    checkRefused(asReader, `${shape.id}: ${asReader.status} ${asReader.text}`);
    const asOwner = await server.call(path, { method: 'PATCH', headers: BETA, body: idle });
    assert.equal(asOwner.status, 200, `${shape.id}: ${asOwner.text}`);
  }
});

async function walk(
  shape: RouteShape,
  samples: SampleResources,
  token: string | null,
  round: string,
): Promise<Answer> {
  const write = WRITES[shape.id];
  const path = pathFor(samples, shape);
  assert.ok(path !== undefined, `the samples lack a part of ${shape.path}`);
  const init = write?.init(samples, round) ?? {};
  const headers = { ...BETA, ...init.headers };
  return await server.call(path + (write?.query ?? ''), { ...init, method: shape.method, headers, token });
}

/** F2: all replies are JSON, even empty ones, except the file of an export. */
function checkType({ headers, status }: Answer, told: string): void {
  const isFile = told.startsWith('GET') && told.includes('/exports/{exportID}/file:') && status === 200;
  const type = isFile ? 'text/csv; charset=utf-8' : 'application/json';
  assert.equal(headers.get('content-type'), type, told);
}

/** F9: every page links to the first and the last page. */
function checkLinks({ json }: Answer, told: string): void {
  for (const end of ['first', 'last']) assert.equal(json['_links'][end]?.type, 'application/json', told);
}

/** F10: every item of a list links to itself. */
async function checkItems(answer: Answer, told: string): Promise<void> {
  if (answer.headers.get('content-type') !== 'application/json') return;
  // Extinctions are an object of lists, by flag.
  for (const item of Object.values<Json>(answer.json?.['items'] ?? {}).flat()) {
    if (typeof item === 'string') continue; // a tag
    const href = item['_links']?.self?.href;
    assert.ok(href !== undefined, `${told}: ${JSON.stringify(item)}`);
    const { status, text } = await server.call(href, { headers: BETA });
    assert.equal(status, 200, `${told}: ${href}: ${text}`);
  }
}

/** F6: links to pages work. */
async function checkPages({ text, headers }: Answer, told: string): Promise<void> {
  if (text === '' || headers.get('content-type') !== 'application/json') return;
  const owner = await server.app.kernel.db.selectFrom('members').selectAll().executeTakeFirstOrThrow();
  for (const [, href] of text.matchAll(/\{"href":"([^"]+)","type":"text\/html"\}/g)) {
    browser ??= await openBrowser(server, owner as never);
    const { pathname, search } = new URL(href!, server.url);
    const page = await server.call(pathname + search, { token: null, headers: browser });
    assert.equal(page.status, 200, `${told}: ${href}`);
    assert.match(page.headers.get('content-type')!, /^text\/html/, href);
  }
}

function checkUnknown({ status, json }: Answer, told: string): void {
  assert.deepEqual([status, json['code']], [401, 'unauthorized'], told);
}

/** A list contains only what the caller may see, here nothing; all other replies name the denied action and resource. */
function checkRefused({ status, json }: Answer, told: string): void {
  if (status === 200) {
    assert.deepEqual(json['items'], [], told);
    return;
  }
  const code = { 401: 'unauthorized', 403: 'forbidden' }[status];
  assert.ok(code !== undefined, told);
  assert.equal(json['code'], code, told);
  assert.match(json['access']?.action, /^\w+\*?$/, told);
  assert.match(json['access']?.resource, /^[\w*/;:.,-]+$/, told);
  assert.equal(json['reason']?.effect, 'deny', told);
}
