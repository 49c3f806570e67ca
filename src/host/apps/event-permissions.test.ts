// Which events an installation may hear of.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayHear } from './event-permissions.ts';

test('a comment on an issue needs the permission for issues, one on a pull request either', () => {
  const on = (isPull: boolean) => ({
    name: 'issue_comment' as const,
    details: { issue: { issue: { isPull } } },
  });
  const heard = (permissions: Record<string, 'read'>) => [
    mayHear(permissions, on(false)),
    mayHear(permissions, on(true)),
  ];
  assert.deepEqual(heard({ issues: 'read' }), [true, true]);
  assert.deepEqual(heard({ pull_requests: 'read' }), [false, true]);
  assert.deepEqual(heard({ contents: 'read' }), [false, false]);
});

test('what is not about issues or pull requests needs no more than the app has asked for', () => {
  assert.equal(mayHear({}, { name: 'star', details: {} }), true);
  assert.equal(mayHear({}, { name: 'pull_request', details: {} }), false);
});
