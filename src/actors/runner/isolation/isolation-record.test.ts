// When a start finds less isolation than the data folder has had, and what is said then.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { atEndOfFile } from '../../../../test/cleanup.ts';
import { explainLoss, readIsolationRecord, recordOf, writeIsolationRecord } from './isolation-record.ts';
import type { Isolation } from './isolation.ts';

const tools = { bwrap: '/usr/bin/bwrap', setpriv: '/usr/bin/setpriv' };
const shortfall = 'bubblewrap does not work here (spawn EAGAIN)';
const ofUsers: Isolation = {
  kind: 'bubblewrap',
  tools,
  abilities: { disablesNamespaces: true },
  usersBy: '/usr/bin/setpriv',
};
const { usersBy: _, ...ofRoot } = ofUsers;
const uid: Isolation = { kind: 'uid', tools, shortfall };
const none: Isolation = { kind: 'none', tools: {}, shortfall };

test('the record is that of the last start, and a broken one is not taken for none', () => {
  const data = mkdtempSync(join(tmpdir(), 'isolation-'));
  atEndOfFile(() => rmSync(data, { recursive: true, force: true }));
  assert.equal(readIsolationRecord(data), undefined);
  writeIsolationRecord(data, recordOf(ofUsers));
  assert.deepEqual(readIsolationRecord(data), {
    kind: 'bubblewrap',
    hasUsers: true,
    disablesNamespaces: true,
  });
  writeFileSync(join(data, 'isolation.json'), '{');
  assert.throws(() => readIsolationRecord(data), /isolation\.json cannot be read/);
});

describe('an isolation below that of before is refused', () => {
  const cases: [string, Isolation, Isolation, boolean, boolean][] = [
    ['the same', ofUsers, ofUsers, true, false],
    ['users of their own after bubblewrap', ofUsers, uid, true, true],
    ['none after bubblewrap', ofRoot, none, false, true],
    ['none after users of their own', uid, none, true, true],
    ['bubblewrap after none', none, ofRoot, false, false],
    ['sandboxes of root after those of users', ofUsers, ofRoot, true, true],
    ['sandboxes of an ordinary server after those of users', ofUsers, ofRoot, false, false],
    ['namespaces inside', ofRoot, { ...ofRoot, abilities: { disablesNamespaces: false } }, false, true],
  ];
  for (const [name, before, now, isRoot, isLess] of cases) {
    test(`${name}: ${isLess ? 'refused' : 'accepted'}`, () => {
      const loss = explainLoss(now, { record: recordOf(before), isRoot });
      assert.equal(loss !== undefined, isLess, loss);
      assert.equal(explainLoss(now, { record: recordOf(before), isRoot, least: now.kind }), undefined);
    });
  }

  test('with what there was, why it is gone, and the way out', () => {
    assert.equal(
      explainLoss(uid, { record: recordOf(ofUsers), isRoot: true }),
      'Actors of this data folder had bubblewrap before, and now they would have less: bubblewrap does not work here (spawn EAGAIN). Mend that and start the server again, or accept it with --actor-isolation uid.',
    );
  });

  test('and so is one below what the operator asks for, whatever there was', () => {
    assert.match(
      explainLoss(none, { least: 'uid', isRoot: false })!,
      /--actor-isolation uid\), and this server has no isolation: bubblewrap does not work/,
    );
    assert.equal(explainLoss(ofRoot, { least: 'uid', isRoot: false }), undefined);
  });
});
