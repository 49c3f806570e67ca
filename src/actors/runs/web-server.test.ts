// What a process needs to serve something.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ExecutionSettings } from '../jobs/settings.ts';
import { reserveWebServer, WebServers } from './web-server.ts';

test('each server writes the guard once, also where another one of this process has the same folder', async (t) => {
  const work = mkdtempSync(join(tmpdir(), 'signalbox-guard-'));
  t.after(() => rmSync(work, { recursive: true, force: true }));
  const settings = { execution: { work, network: 'host' } as ExecutionSettings };
  const reserve = async (webServers: WebServers) =>
    (await reserveWebServer({ settings, services: { webServers } }, 'run')).guard!;
  const first = new WebServers();
  const file = await reserve(first);
  const written = readFileSync(file, 'utf8');
  writeFileSync(file, 'of an earlier release');
  assert.equal(await reserve(first), file);
  assert.equal(readFileSync(file, 'utf8'), 'of an earlier release');
  assert.equal(await reserve(new WebServers()), file);
  assert.equal(readFileSync(file, 'utf8'), written);
});
