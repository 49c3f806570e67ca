// A client made from the document of the flags API, compiled by TypeScript and used against a server.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { OpenApiDocument } from '../src/kernel/openapi/document.ts';
import { ADMIN_TOKEN, startServer, type Json, type TestServer } from '../test/server.ts';
import { generateClient } from './openapi-client.ts';

const ROOT = dirname(import.meta.dirname);

/** What somebody would write with the client; it prints what the test looks at. */
const PROGRAM = `
import { ApiError, createClient, type Schemas } from './client.ts';

const [url, token] = process.argv.slice(2) as [string, string];
const flags = createClient({ url, token });
await flags.postProject({ body: { key: 'typed', name: 'Typed' } });
await flags.postFeatureFlag({ path: { projectKey: 'typed' }, body: { key: 'dark', name: 'Dark' } });
const turnOn: Schemas['FlagInstruction'] = { kind: 'turnFlagOn' };
const flag = await flags.patchFeatureFlag({
  path: { projectKey: 'typed', featureFlagKey: 'dark' },
  type: 'application/json; domain-model=flagservice.semanticpatch',
  body: { environmentKey: 'test', instructions: [turnOn, { kind: 'addTags', values: ['night'] }] },
});
const keys: string[] = [];
for (let total = Infinity; keys.length < total; ) {
  const page = await flags.getProjects({ query: { limit: 1, offset: keys.length } });
  total = page.totalCount ?? 0;
  keys.push(...page.items.map((project) => project.key));
}
const missing: unknown = await flags
  .getFeatureFlag({ path: { projectKey: 'typed', featureFlagKey: 'none' } })
  .catch((error: unknown) => error);
const { status, body } = missing as ApiError;
console.log(JSON.stringify({ on: flag.environments?.['test']?.on, tags: flag.tags, keys, status, code: body.code }));
`;

/** Each must be refused by the compiler. */
const WRONG = `
import { createClient } from './client.ts';

const flags = createClient({ url: '' });
const path = { projectKey: 'a', featureFlagKey: 'b' };
const type = 'application/json; domain-model=flagservice.semanticpatch';
// @ts-expect-error There is no such kind of instruction.
await flags.patchFeatureFlag({ path, type, body: { instructions: [{ kind: 'turnFlagUp' }] } });
// @ts-expect-error The instruction lacks its parameter.
await flags.patchFeatureFlag({ path, type, body: { instructions: [{ kind: 'addTags' }] } });
// @ts-expect-error The path has two parameters.
await flags.getFeatureFlag({ path: { projectKey: 'a' } });
`;

let server: TestServer;
let folder: string;
before(async () => {
  server = await startServer();
  folder = mkdtempSync(join(tmpdir(), 'signalbox-client-'));
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

test('a client made from the document compiles, and works against a server', async () => {
  const { text } = await server.call('/api/v2/openapi.json', { token: null });
  writeFileSync(join(folder, 'client.ts'), generateClient(JSON.parse(text) as OpenApiDocument));
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  writeFileSync(join(folder, 'wrong.ts'), WRONG);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const { compilerOptions } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')) as Json;
  const typeRoots = [join(ROOT, 'node_modules/@types')];
  const own = { compilerOptions: { ...compilerOptions, typeRoots, types: ['node'] }, include: ['*.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(own));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const compiled = spawnSync(process.execPath, [tsc, '-p', folder, '--noEmit'], { encoding: 'utf8' });
  assert.equal(compiled.status, 0, compiled.stdout);
  const args = [join(folder, 'program.ts'), `${server.url}/api/v2`, ADMIN_TOKEN];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { keys, ...rest } = JSON.parse(stdout) as Json;
  assert.deepEqual(rest, { on: true, tags: ['night'], status: 404, code: 'not_found' });
  assert.deepEqual(keys.toSorted(), ['default', 'typed']);
});
