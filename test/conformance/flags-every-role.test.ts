// Every route of the flag service with every role: who may is let, who may not is told why, and nothing changes by it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { flagsApi } from '../../src/flags/api.ts';
import type { BaseRole, PolicyStatement } from '../../src/kernel/identity/policy.ts';
import type { RouteShape } from '../../src/kernel/route.ts';
import { giveToken, join, openBrowser } from '../people.ts';
import { startServer, type Answer, type TestServer } from '../server.ts';
import { BETA, pathIn, setScene, type Scene } from './flags-scene.ts';
import { ONLY_INSTRUCTIONS, WRITES, type Role } from './flags-writes.ts';

const RANKS: Record<BaseRole, number> = { no_access: 0, reader: 1, writer: 2, admin: 3, owner: 4 };

interface Walker {
  name: string;
  rank: number;
  token(server: TestServer, scene: Scene): Promise<string | null>;
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

/** What everyone with a token may ask. What they hear is of what they may see. */
const OPEN_TO_ALL = new Set(['getCallerIdentity', 'getAccount', 'getAuditLogEntries']);

/** Where the scene lacks what is asked for. */
const NOT_THERE: Record<string, number> = { getWebhookDelivery: 404 };

/** Reads come first, and what deletes last. */
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
let browser: { cookie: string } | undefined;
before(async () => {
  server = await startServer({ limits: 'off' });
});
after(() => server.stop());

/** Nothing changes without an entry. */
const lastEntry = () =>
  server.app.kernel.db.selectFrom('events').select('seq').orderBy('seq', 'desc').limit(1).execute();

for (const [index, walker] of WALKERS.entries()) {
  describe(walker.name, () => {
    let scene: Scene;
    let token: string | null;
    before(async () => {
      scene = await setScene(server, `${index}`);
      scene.parameters['deliveryId'] = '0'.repeat(24);
      token = await walker.token(server, scene);
    });

    for (const shape of routes) {
      const least: Role = WRITES[shape.id]?.least ?? (OPEN_TO_ALL.has(shape.id) ? 'no_access' : 'reader');
      const isLet = walker.rank >= RANKS[least];
      test(`F2 F6 F9 F31 ${shape.id} is ${isLet ? 'let' : 'refused'}`, async () => {
        const known = await lastEntry();
        const answer = await walk(shape, scene, token, `${index}`);
        const told = `${shape.method} ${shape.path}: ${answer.status} ${answer.text.slice(0, 400)}`;
        checkType(answer, told);
        if (isLet) {
          const status = WRITES[shape.id]?.status ?? NOT_THERE[shape.id];
          assert.ok(status === undefined ? answer.status < 300 : answer.status === status, told);
          if (shape.query?.properties['limit'] !== undefined) checkLinks(answer, told);
          if (walker.name === 'owner') await checkPages(answer, told);
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
  const scene = await setScene(server, 'commented');
  const recorded: string[] = [];
  for (const shape of routes.filter(({ method }) => method === 'PATCH')) {
    const comment = `because of ${shape.id}`;
    const { body, headers } = WRITES[shape.id]!.init(scene, 'commented');
    const isList = Array.isArray(body);
    const known = await lastEntry();
    const { status, text } = await server.call(pathIn(scene, shape)!, {
      method: 'PATCH',
      headers: { ...BETA, ...(!ONLY_INSTRUCTIONS.has(shape.id) && headers) },
      body: isList
        ? { comment, patch: body }
        : headers === undefined
          ? { comment, merge: body }
          : { ...(body as object), comment },
    });
    assert.equal(status, 200, `${shape.id}: ${text}`);
    // What is so already is no change, and no entry.
    if (JSON.stringify(await lastEntry()) === JSON.stringify(known)) continue;
    const { json } = await server.call('/api/v2/auditlog?limit=1');
    assert.equal(json['items'][0].comment, comment, shape.id);
    recorded.push(shape.id);
  }
  assert.ok(recorded.length >= 17, recorded.join());
});

async function walk(shape: RouteShape, scene: Scene, token: string | null, round: string): Promise<Answer> {
  const write = WRITES[shape.id];
  const path = pathIn(scene, shape);
  assert.ok(path !== undefined, `the scene lacks a part of ${shape.path}`);
  const init = write?.init(scene, round) ?? {};
  const headers = { ...BETA, ...init.headers };
  return await server.call(path + (write?.query ?? ''), { ...init, method: shape.method, headers, token });
}

/** F2: all is JSON, empty replies too, but for the file of an export. */
function checkType({ headers, status }: Answer, told: string): void {
  const isFile = told.startsWith('GET') && told.includes('/exports/{exportID}/file:') && status === 200;
  const type = isFile ? 'text/csv; charset=utf-8' : 'application/json';
  assert.equal(headers.get('content-type'), type, told);
}

/** F9: whatever comes in pages links to both ends. */
function checkLinks({ json }: Answer, told: string): void {
  for (const end of ['first', 'last']) assert.equal(json['_links'][end]?.type, 'application/json', told);
}

/** F6: whoever follows a link to a page finds one. */
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

/** A list shows what may be seen, and so none of it; all else says which action on what was denied, and why. */
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
