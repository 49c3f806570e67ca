import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWithin } from './user-folders.ts';

test('a path is within a folder if it is the folder itself or below it', () => {
  for (const path of ['/usr', '/usr/', '/usr/bin', '/usr/bin/node', '/usr/..x', '/usr/a/../b'])
    assert.ok(isWithin('/usr', path), path);
  for (const path of ['/', '/opt', '/usr2', '/opt/node/bin/node', '/usr/..', '/usr/../opt'])
    assert.ok(!isWithin('/usr', path), path);
  assert.ok(!isWithin('/data/work', '/data'));
  assert.ok(!isWithin('/data/work', '/data/other'));
});
