// The import law: for each rule one small source that breaks it and one that does not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findViolations } from './import-law.ts';

function checkImport(files: Record<string, string>): string[] {
  return findViolations(new Map(Object.entries(files))).map(
    ({ path, line, rule }) => `${path}:${line}: ${rule}`,
  );
}

test('imports go from the command line to the kernel, and rows may be skipped', () => {
  const files = {
    'src/bin.ts': `import { runCli } from './cli/program.ts';`,
    'src/cli/program.ts': `import { open } from '../app/app.ts';\nimport { Failure } from '../kernel/failure.ts';`,
    'src/app/app.ts': `import { flagsApi } from '../flags/api.ts';\nimport type { Config } from './config.ts';`,
    'src/flags/api.ts': `import { route } from '../kernel/http/route.ts';\nimport { list } from './tokens/routes.ts';`,
  };
  assert.deepEqual(checkImport(files), []);
});

test('the kernel imports no API, not even a type', () => {
  const text = `// First line.\nimport type {\n  Flag,\n} from '../../flags/tokens/model.ts';`;
  assert.deepEqual(checkImport({ 'src/kernel/http/route.ts': text }), [
    'src/kernel/http/route.ts:2: kernel must not import flags',
  ]);
});

test('APIs never import each other', () => {
  const text = `export { repository } from '../../host/users/model.ts';`;
  assert.deepEqual(checkImport({ 'src/actors/users/routes.ts': text }), [
    'src/actors/users/routes.ts:1: actors must not import host',
  ]);
});

test('an API does not import the settings, and nothing below the command line imports it', () => {
  const files = {
    'src/host/api.ts': `import { SETTINGS } from '../app/config.ts';`,
    'src/app/app.ts': `const { io } = await import('../cli/io.ts');`,
  };
  assert.deepEqual(checkImport(files), [
    'src/host/api.ts:1: host must not import app',
    'src/app/app.ts:1: app must not import cli',
  ]);
});

test('the host and the kernel do not split lines by node:readline', () => {
  const text = `import { createInterface } from 'node:readline';`;
  const files = {
    'src/host/transport/pre-receive-hook.ts': text,
    'src/kernel/http/serve.ts': text,
    'src/cli/io.ts': text.replace('readline', 'readline/promises'),
  };
  assert.deepEqual(checkImport(files), [
    'src/host/transport/pre-receive-hook.ts:1: node:readline ends lines at more than line feeds, src/kernel/text/split-lines.ts does not',
    'src/kernel/http/serve.ts:1: node:readline ends lines at more than line feeds, src/kernel/text/split-lines.ts does not',
  ]);
});

test('secrets are compared in one file', () => {
  const files = {
    'src/kernel/secrets/secret.ts': `import { timingSafeEqual } from 'node:crypto';`,
    'src/host/webhooks/signature.ts': `import { createHmac, timingSafeEqual } from 'node:crypto';`,
    'src/actors/runs/run-tokens.ts': `import * as crypto from 'node:crypto';\nreturn crypto.timingSafeEqual(a, b);`,
    'src/actors/runs/run-tokens.test.ts': `import { timingSafeEqual } from 'node:crypto';`,
  };
  assert.deepEqual(checkImport(files), [
    'src/host/webhooks/signature.ts:1: secrets are compared by isSameSecret of src/kernel/secrets/secret.ts',
    'src/actors/runs/run-tokens.ts:2: secrets are compared by isSameSecret of src/kernel/secrets/secret.ts',
  ]);
});

test('tools are for the command line, and no part of a server', () => {
  const text = `import { diffContracts } from '../../tools/contract/diff.ts';`;
  const files = {
    'src/cli/api-diff.ts': text,
    'src/app/app.ts': text,
    'src/flags/api.ts': text,
    'src/kernel/http/serve.ts': text.replace('../', '../../'),
    'tools/contract/diff.ts': `import { Failure } from '../../src/kernel/failure.ts';`,
  };
  assert.deepEqual(checkImport(files), [
    'src/app/app.ts:1: only the command line may import a tool',
    'src/flags/api.ts:1: only the command line may import a tool',
    'src/kernel/http/serve.ts:1: only the command line may import a tool',
  ]);
});

test('a room of the kernel uses the rooms that the table allows, and types of all', () => {
  const files = {
    'src/kernel/http/serve.ts': `import { Limits } from '../limits/limits.ts';\nimport { Failure } from '../failure.ts';`,
    'src/kernel/storage/engine.ts': `import type { Page } from '../http/reply/page.ts';\nimport { type Call } from '../http/route.ts';`,
    'src/kernel/limits/limits.ts': `import { serve } from '../http/serve.ts';`,
    'src/kernel/failure.ts': `import { foldCase } from './text/fold-case.ts';`,
    'src/kernel/limits/limits.test.ts': `import { serve } from '../http/serve.ts';`,
  };
  assert.deepEqual(checkImport(files), [
    'src/kernel/limits/limits.ts:1: limits/ must not import values of http/',
    'src/kernel/failure.ts:1: what stands at the top of the kernel must not import text/',
  ]);
});

test('every file has its place: a layer, and in the kernel a room', () => {
  const files = { 'src/utils/a.ts': '', 'src/kernel/attic/a.ts': '', 'src/kernel/clock.ts': '' };
  assert.deepEqual(checkImport(files), [
    'src/utils/a.ts:1: utils is in no layer of scripts/import-law.ts',
    'src/kernel/attic/a.ts:1: attic/ is no room of scripts/rooms.ts',
  ]);
});

test('node:http is imported for its types only', () => {
  const files = {
    'src/kernel/http/reply/send.ts': `import type { ServerResponse } from 'node:http';`,
    'src/kernel/http/server/bad-requests.ts': `import { STATUS_CODES, type ServerResponse } from 'node:http';`,
    'src/kernel/send.test.ts': `import { createServer } from 'node:http';`,
  };
  assert.deepEqual(checkImport(files), [
    'src/kernel/http/server/bad-requests.ts:1: node:http is imported for its types only, src/kernel/network/http-client.ts has the rest',
  ]);
});

test('streams, sockets, processes and threads are opened where each gets a listener for errors', () => {
  const files = {
    'src/host/a.ts': [
      `import { createGunzip, gunzipSync } from 'node:zlib';`,
      `import { spawn, execFile, type ChildProcess } from 'node:child_process';`,
      `import * as net from 'node:net';`,
      `import { Readable } from 'node:stream';`,
      `import { Agent, request } from 'node:https';`,
      `import { Agent as Plain, request as send } from '../kernel/network/http-client.ts';`,
      `const stream = Readable.from([]);`,
    ].join('\n'),
    'src/host/b.ts': `import type { Socket } from 'node:net';\nimport { createGunzip } from '../kernel/streams.ts';`,
    'src/kernel/network/streams.ts': `import * as net from 'node:net';`,
    'src/host/c.test.ts': `import { createServer } from 'node:net';`,
  };
  const streams = 'may be left without a listener, src/kernel/network/streams.ts has it with one';
  const requests = 'may be left without a listener, src/kernel/network/open-request.ts has it with one';
  assert.deepEqual(checkImport(files), [
    `src/host/a.ts:1: createGunzip of node:zlib ${streams}`,
    `src/host/a.ts:2: spawn of node:child_process ${streams}`,
    `src/host/a.ts:3: * of node:net ${streams}`,
    `src/host/a.ts:4: Readable of node:stream ${streams}`,
    `src/host/a.ts:5: request of node:https ${requests}`,
    `src/host/a.ts:6: request of src/kernel/network/http-client.ts ${requests}`,
    `src/host/a.ts:7: a stream may be left without a listener, src/kernel/network/streams.ts opens it with one`,
  ]);
});

test('handlers of what other programs send go through the guard', () => {
  const files = {
    'src/host/a.ts': `request.on('response', (reply) => use(reply));\nsocket.once(\n  'data',\n  read,\n);`,
    'src/host/b.ts': `request.on('response', guarded(use, fail));\nrequest.on('close', () => end());`,
  };
  const rule = 'a handler that throws ends the process, unless it goes through `guarded`';
  assert.deepEqual(checkImport(files), [`src/host/a.ts:1: ${rule}`, `src/host/a.ts:2: ${rule}`]);
});

test('a resource goes from routes to store to tables', () => {
  const files = {
    'src/flags/tokens/routes.ts': `import { listTokens } from './store.ts';\nimport { shape } from './model.ts';`,
    'src/flags/tokens/store.ts': `import type { TokenRow } from '../tables.ts';\nimport { route } from './routes.ts';`,
    'src/flags/tables.ts': `import type { Stored } from './tokens/store.ts';`,
  };
  assert.deepEqual(checkImport(files), [
    'src/flags/tokens/store.ts:2: store must not import routes',
    'src/flags/tables.ts:1: tables must not import store',
  ]);
});

test('a model reaches no I/O, neither itself nor through what it loads', () => {
  const files = {
    'src/flags/tokens/model.ts': [
      `import { readFileSync } from 'node:fs';`,
      `import type { Selectable } from 'kysely';`,
      `import type { Stored } from './store.ts';`,
      `import { log } from '../../kernel/observability/log.ts';`,
      `import type { Logger } from '../../kernel/observability/log.ts';`,
      `import { Type } from 'typebox';`,
    ].join('\n'),
    'src/kernel/observability/log.ts': `import { sink } from '../sink.ts';`,
    'src/kernel/sink.ts': `import { log } from './log.ts';\nimport dns from 'node:dns';`,
  };
  assert.deepEqual(checkImport(files), [
    'src/flags/tokens/model.ts:1: a model is pure and must not reach node:fs',
    'src/flags/tokens/model.ts:2: only stores, tables and migrations may import kysely',
    'src/flags/tokens/model.ts:2: a model is pure and must not reach kysely',
    'src/flags/tokens/model.ts:3: a model is pure and must not reach src/flags/tokens/store.ts',
    'src/flags/tokens/model.ts:4: a model is pure and must not reach src/kernel/observability/log.ts → src/kernel/sink.ts → node:dns',
  ]);
});

test('database drivers are imported by the storage folder and tests alone', () => {
  const files = {
    'src/kernel/storage/postgres/postgres.ts': `import pg from 'pg';`,
    'src/kernel/storage/sqlite/sqlite.ts': `import { DatabaseSync } from 'node:sqlite';`,
    'src/cli/doctor.ts': `import { DatabaseSync } from 'node:sqlite';`,
    'src/cli/doctor.test.ts': `import { DatabaseSync } from 'node:sqlite';`,
  };
  assert.deepEqual(checkImport(files), [
    'src/cli/doctor.ts:1: only src/kernel/storage may import node:sqlite',
  ]);
});

test('SQL is in files whose names say so', () => {
  const text = `import { sql } from 'kysely';`;
  const files = {
    'src/flags/tokens/store.ts': text,
    'src/flags/tokens/store-writes.ts': text,
    'src/kernel/limits/store.ts': text,
    'src/flags/tables.ts': text,
    'src/flags/migrations/tokens.ts': text,
    'src/kernel/storage/locks.ts': text,
    'src/flags/tokens/store.test.ts': text,
    'src/flags/tokens/fixture.ts': text,
    'src/flags/tokens/routes.ts': `import type { Selectable } from 'kysely';`,
    'src/flags/tokens/rows.ts': text,
  };
  assert.deepEqual(checkImport(files), [
    'src/flags/tokens/routes.ts:1: only stores, tables and migrations may import kysely',
    'src/flags/tokens/rows.ts:1: only stores, tables and migrations may import kysely',
  ]);
});

test('a query that is built without an import is SQL, too', () => {
  const text = `// First line.\nawait db\n  .selectFrom('tokens')\n  .execute();\nawait db.deleteFrom('tokens').execute();`;
  const files = {
    'src/flags/tokens/store.ts': text,
    'src/flags/tokens/store.test.ts': text,
    'src/flags/tokens/routes.ts': text,
  };
  assert.deepEqual(checkImport(files), [
    'src/flags/tokens/routes.ts:3: only stores, tables and migrations may build queries',
    'src/flags/tokens/routes.ts:5: only stores, tables and migrations may build queries',
  ]);
});

test('which engine it is, only the storage folder asks, and the hand-tuned statements of queues and datasets', () => {
  const text = `const isSqlite = engine.kind === 'sqlite';\nif (kind !== 'postgres') return;`;
  const files = {
    'src/kernel/storage/search.ts': text,
    'src/actors/request-queues/engine-statements.ts': text,
    'src/actors/datasets/store.ts': text,
    'src/flags/tokens/store.test.ts': text,
    'src/flags/tokens/store.ts': text,
    'src/cli/status.ts': `return { kind: 'sqlite' };`,
  };
  assert.deepEqual(checkImport(files), [
    'src/flags/tokens/store.ts:1: only src/kernel/storage may ask which engine it is',
    'src/flags/tokens/store.ts:2: only src/kernel/storage may ask which engine it is',
  ]);
});

test('only tests and their fixtures may import from outside the source', () => {
  const text = `import { startServer } from '../../test/server.ts';`;
  const files = { 'src/host/api.test.ts': text, 'src/host/fixture.ts': text, 'src/host/api.ts': text };
  assert.deepEqual(checkImport(files), ['src/host/api.ts:1: only tests may import what is outside src/']);
});

test('only tests may import a fixture', () => {
  const text = `import { makeFolder } from './fixture.ts';`;
  assert.deepEqual(checkImport({ 'src/host/api.test.ts': text, 'src/host/api.ts': text }), [
    'src/host/api.ts:1: only tests may import a fixture',
  ]);
});

test('words that look like imports are none', () => {
  const text = `const words = ['import', 'from'];\nexport const from = 'kernel';\n// import { a } from '../host/api.ts';`;
  assert.deepEqual(checkImport({ 'src/flags/api.ts': text }), []);
});
