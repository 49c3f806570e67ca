// Concurrent changes of webhooks on Actors, and events that fire them meanwhile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createActor } from '../actors.ts';
import { OBEDIENT } from '../actor-sources.ts';
import { eventually } from '../eventually.ts';
import type { Answer, Json, TestServer } from '../server.ts';
import { runClients } from './concurrent-clients.ts';

export function declareActorWebhooks(server: () => TestServer): void {
  const call: TestServer['call'] = (path, init) => server().call(`/v2${path}`, init);
  const post = (path: string, body?: unknown) =>
    call(path, { method: 'POST', ...(body !== undefined && { body }) });
  const put = (path: string, body: unknown) => call(path, { method: 'PUT', body });
  const remove = (path: string) => call(path, { method: 'DELETE' });

  test('webhooks are created, changed, tested, fired and deleted', async () => {
    const actor = await createActor(server(), OBEDIENT, { name: 'hooked' });
    const actorId = actor['id'] as string;
    const eventTypes = ['ACTOR.RUN.CREATED', 'ACTOR.RUN.ABORTED', 'ACTOR.RUN.SUCCEEDED'];
    // What it starts does not exist, so that every dispatch waits for its retry.
    const own = {
      eventTypes,
      condition: { actorId },
      requestUrl: `${server().url}/v2/acts/nothing-there/runs`,
    };
    const kept = (await post('/webhooks', own)).json['data'].id as string;
    const at = `/webhooks/${kept}`;
    let last = '';
    const start = async (): Promise<Answer> => {
      const answer = await post(`/actors/${actorId}/runs?memory=128`, {});
      last = answer.json['data'].id as string;
      return answer;
    };
    await start();
    const changes: ((n: number) => Promise<Answer>)[] = [
      (n) => post('/webhooks', { ...own, idempotencyKey: `the-key-of-round-${n % 3}` }),
      (n) => put(at, { description: `round ${n}` }),
      (n) => put(at, { eventTypes: n % 2 === 0 ? eventTypes : ['ACTOR.RUN.CREATED'] }),
      () => post(`${at}/test`),
      start,
      () => post(`/actor-runs/${last}/abort`),
      async (n) => {
        const { items } = (await call('/webhooks?desc=1&limit=1')).json['data'];
        return items[0].id === kept
          ? put(at, { doNotRetry: n % 2 === 0 })
          : remove(`/webhooks/${items[0].id}`);
      },
      start,
    ];
    await runClients(server(), (client, round) => changes[client]!(client + round), {
      allowed: [200, 201, 204, 404],
      isChained: false,
      isConditional: true,
      rounds: 4,
    });
    const { kernel } = server().app;
    await eventually(async () => {
      const { stats } = (await call(at)).json['data'];
      const { total } = (await call(`${at}/dispatches`)).json['data'];
      return stats.totalDispatches === total;
    }, 'a count that is exact');
    await eventually(async () => {
      const left = (await call('/webhook-dispatches')).json['data'].items as Json[];
      return left.every(({ calls }) => calls.length > 0);
    }, 'a call for every dispatch');
    await runClients(server(), () => remove(at), { allowed: [204, 404], rounds: 1 });
    await remove(`/actors/${actorId}`);
    assert.equal((await call('/webhooks')).json['data'].total, 0);
    await eventually(async () => {
      const due = kernel.db.selectFrom('due').select('id').where('kind', '=', 'webhook.dispatch');
      return (await due.execute()).length === 0;
    }, 'no queue that is left');
  });
}
