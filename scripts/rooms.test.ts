// The rooms of the kernel as the table has them, and as the folders are.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { drawRooms, ROOMS } from './rooms.ts';

const KERNEL = join(import.meta.dirname, '../src/kernel');

test('every folder of the kernel is a room, and every room has its entry file', () => {
  const folders = readdirSync(KERNEL, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.deepEqual(folders.map(({ name }) => name).sort(), Object.keys(ROOMS).sort());
  for (const [name, { entry }] of Object.entries(ROOMS))
    assert.ok(existsSync(join(KERNEL, name, entry)), entry);
});

test('a room uses only rooms that stand before it, so that there is no circle', () => {
  const seen: string[] = [];
  for (const [name, { imports }] of Object.entries(ROOMS)) {
    for (const other of imports) assert.ok(seen.includes(other), `${name} → ${other}`);
    seen.push(name);
  }
});

test('the drawing has each room once, above those that it uses', () => {
  const room = (imports: string[]) => ({ about: '', entry: '', imports });
  const rows = drawRooms({ a: room([]), b: room(['a']), c: room([]) })
    .split('\n')
    .map((row) => row.replaceAll('│', ' ').trim().split(/\s+/).join(' '));
  assert.ok(rows.indexOf('b') < rows.indexOf('a c'));
});
