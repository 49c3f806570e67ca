// Programs without a sandbox: the seat belts of Node.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { atEndOfFile } from '../../../../test/cleanup.ts';
import { openTestRunner, type TestRunner } from '../fixture.ts';
import { findWorkingTools } from './machine-tools.ts';
import { permissionFlags } from './plain.ts';
import { readProcess } from '../process-table.ts';

let on: TestRunner;
before(async () => {
  const data = mkdtempSync(join(realpathSync(tmpdir()), 'plain one '));
  atEndOfFile(() => rmSync(data, { recursive: true, force: true }));
  writeFileSync(join(data, 'secret'), 'a secret of the server');
  on = await openTestRunner({
    data,
    options: { isolation: { kind: 'none', tools: await findWorkingTools() } },
  });
});

test('a Node program works in its folder and cannot read the data of the server', async () => {
  const program = on.program('', { hasNodePermissions: true });
  const given = join(on.data, 'dependencies');
  mkdirSync(join(given, 'node_modules/given'), { recursive: true });
  writeFileSync(join(given, 'node_modules/given/index.js'), 'module.exports = "given"');
  symlinkSync(join(given, 'node_modules'), join(program.folder, 'node_modules'));
  writeFileSync(
    join(program.folder, 'main.js'),
    `const fs = require('fs'), { execFileSync } = require('child_process');
     fs.writeFileSync('mine', 'mine');
     fs.writeFileSync(require('path').join(require('os').tmpdir(), 'x'), 'x');
     console.log(fs.readFileSync('mine', 'utf8'), require('given'), String(execFileSync('echo', ['child'])).trim());
     new (require('worker_threads').Worker)('console.log("thread")', { eval: true }).on('exit', () => {
       for (const act of [() => fs.readFileSync(${JSON.stringify(join(on.data, 'secret'))}), () => fs.writeFileSync(${JSON.stringify(join(on.data, 'x'))}, '')])
         try { act(); console.log('done') } catch (error) { console.log(error.code) }
     });`,
  );
  const { output, code } = await on.run('', {
    command: ['node', 'main.js'],
    folder: program.folder,
    readable: [given],
    hasNodePermissions: true,
    env: { ...program.env, NODE_OPTIONS: '--no-deprecation' },
  });
  assert.equal(output, 'mine given child\nthread\nERR_ACCESS_DENIED\nERR_ACCESS_DENIED\n');
  assert.equal(code, 0);
});

test('package managers get no such flags', async () => {
  const { output } = await on.run('node -p "process.permission === undefined"');
  assert.equal(output, 'true\n');
});

test('the network is allowed where Node asks for it', () => {
  const flags = permissionFlags(
    { folder: '/f', readable: [] },
    '/t',
    new Set(['--allow-net', '--allow-worker']),
  );
  assert.ok(flags.includes('--allow-net'));
  assert.ok(!flags.includes('--allow-addons'));
});

test('a program that daemonizes is found by its environment', async () => {
  const { output } = await on.run(
    '(setsid sh -c "setsid sleep 1000 & echo \\$! > pid" &); while [ ! -s pid ]; do sleep 0.01; done; cat pid',
  );
  assert.equal(readProcess(Number(output))?.isZombie ?? true, true);
});

test('hostile words are refused before anything starts', async () => {
  await assert.rejects(on.run('true', { env: { A: 'x\0--bind' } }), /NUL/);
  await assert.rejects(on.run('true', { env: { 'A=B': 'x' } }), /equals sign/);
  await assert.rejects(on.run('true', { id: '../x' }), /file names/);
  await assert.rejects(on.run('true', { folder: 'relative' }), /not absolute/);
  await assert.rejects(on.run('true', { readable: ['/no/such'] }), /There is no/);
  await assert.rejects(on.run('true', { network: 'none' }), /needs bubblewrap/);
});
