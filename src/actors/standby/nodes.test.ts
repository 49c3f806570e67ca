// Whether programs of users share the network of a machine, from what the nodes have said, on each engine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { eventually } from '../../../test/eventually.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { openNetworkSharing, announceNode, withdrawNode } from './nodes.ts';
import { doRunsShareNetwork } from './store-nodes.ts';

onEachEngine((kind) => {
  test('they share it unless every node that is known has said otherwise', async (t) => {
    const engine = await kind.openMigrated();
    t.after(() => engine.close());
    const { db } = engine;
    const node = (network: 'host' | 'private' | 'none', packageNetwork: 'host' | 'private') =>
      ({
        engine,
        db,
        clock: { now: () => 1 },
        settings: { execution: { network, packageNetwork } },
      }) as unknown as Kernel;
    const sharing = await openNetworkSharing({ engine });
    const expect = async (isShared: boolean) => {
      assert.equal(await doRunsShareNetwork(db), isShared);
      // Notifications come a moment later.
      await eventually(async () => (await sharing.doRunsShare()) === isShared);
    };
    await expect(true);
    await announceNode(node('private', 'private'), 'one');
    await expect(false);
    await announceNode(node('none', 'private'), 'two');
    await expect(false);
    await announceNode(node('none', 'host'), 'two');
    await expect(true);
    await withdrawNode(node('none', 'host'), 'two');
    await expect(false);
    // A node of an earlier release.
    await db.insertInto('actor_nodes').values({ name: 'old', url: null, seen_at: 1 }).execute();
    await engine.notify('actor-nodes');
    await expect(true);
    await db.deleteFrom('actor_nodes').where('name', '=', 'old').execute();
    await announceNode(node('host', 'host'), 'three');
    await expect(true);
  });
});
