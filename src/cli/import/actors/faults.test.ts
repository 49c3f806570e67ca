// An import between servers that misbehave.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { onEachEngine } from '../../../../test/engines.ts';
import { giveItems, importActors, listItems, onTwoServers } from './fixture.ts';

onEachEngine((engine) => {
  const ends = onTwoServers(engine);

  describe('servers that misbehave', () => {
    before(async () => {
      await giveItems(ends.from, 'flaky', 1500);
    });

    test('429 and 503 are waited for, on both sides', async () => {
      const flaky = () => {
        const met = new Map<string, number>();
        return ({ method, path }: { method: string; path: string }) => {
          const count = (met.get(`${method} ${path}`) ?? 0) + 1;
          met.set(`${method} ${path}`, count);
          if (count > 1 || met.size > 9 || path.endsWith('/users/me')) return undefined;
          return { status: path.includes('items') ? 429 : 503, headers: { 'retry-after': '0' } };
        };
      };
      const [source, target] = [await ends.front(ends.from, flaky()), await ends.front(ends.to, flaky())];
      const { code, summary } = await importActors(source, target, ends.data, '--only', 'datasets');
      assert.equal(code, 0, JSON.stringify(summary));
      assert.equal((await listItems(ends.to, 'flaky')).length, 1500);
    });

    test('a reply that breaks off is read again from there', async () => {
      let cuts = 0;
      const source = await ends.front(ends.from, ({ path }) => {
        if (!path.includes('format=jsonl') || cuts >= 2) return undefined;
        cuts += 1;
        return { cutAfter: 5000 };
      });
      const { code } = await importActors(source, ends.to, ends.data, '--only', 'datasets');
      assert.deepEqual([code, cuts], [0, 2]);
      assert.deepEqual(
        (await listItems(ends.to, 'flaky')).map(({ n }) => n),
        Array.from({ length: 1500 }, (_, n) => n),
      );
    });

    test('what a token may not read is reported, and the rest is copied', async () => {
      const source = await ends.front(ends.from, ({ path }) =>
        path.startsWith('/v2/webhooks') ? { status: 403 } : undefined,
      );
      const { code, summary } = await importActors(source, ends.to, ends.data, '--only', 'webhooks,datasets');
      assert.equal(code, 1);
      assert.deepEqual(summary.things[0], {
        kind: 'webhooks',
        name: '(all)',
        outcome: 'failed',
        reason: 'Made up 403.',
      });
      assert.equal((await listItems(ends.to, 'flaky')).length, 1500);
    });

    test('a push whose answer is lost is not repeated', async () => {
      let lost = 0;
      const target = await ends.front(ends.to, ({ method, path }) => {
        if (method !== 'POST' || !path.endsWith('/items') || lost >= 2) return undefined;
        lost += 1;
        return { cutAfter: 0 };
      });
      const { code } = await importActors(ends.from, target, ends.data, '--only', 'datasets');
      assert.deepEqual([code, lost], [0, 2]);
      assert.equal((await listItems(ends.to, 'flaky')).length, 1500);
    });
  });
});
