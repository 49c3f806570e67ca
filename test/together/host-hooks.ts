// Concurrent changes of the host's webhooks, and events that they are told of meanwhile.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { expectStatus } from '../conformance/host/organization-calls.ts';
import { eventually } from '../eventually.ts';
import { gitTest } from '../git-tests.ts';
import type { Answer, Json, TestServer } from '../server.ts';
import { openReceiver, type WebhookReceiver } from '../webhook-receiver.ts';
import { runClients } from './concurrent-clients.ts';

export function declareHostHooks(server: () => TestServer): void {
  let receiver: WebhookReceiver;
  before(async () => {
    receiver = await openReceiver();
  });
  after(() => receiver.close());

  const send = (method: string, path: string, body?: unknown) =>
    server().call(path, { method, ...(body !== undefined && { body }) });

  gitTest('hooks are created, changed, pinged and deleted, and every event is told once', async () => {
    const { json: repository } = await expectStatus(server(), 201, 'POST', '/user/repos', {
      body: { name: 'hooked' },
    });
    const at = '/repos/admin/hooked/hooks';
    const config = { url: `${receiver.url}/kept`, content_type: 'json' };
    const { json: kept } = await expectStatus(server(), 201, 'POST', at, {
      body: { config, events: ['star'] },
    });
    const hook = `${at}/${kept['id']}`;
    const same = { config: { url: `${receiver.url}/same` }, events: ['star'] };
    const changes: ((round: number) => Promise<Answer>)[] = [
      (round) => send('PATCH', `${hook}/config`, { content_type: round % 2 === 0 ? 'form' : 'json' }),
      (round) =>
        send('PATCH', hook, round % 2 === 0 ? { add_events: ['fork'] } : { remove_events: ['fork'] }),
      () => send('POST', at, same),
      () => send('POST', at, same),
      async () => {
        const { json } = await send('GET', at);
        const last = (json as unknown as Json[]).at(-1)!['id'] as number;
        return last === kept['id'] ? send('POST', `${hook}/pings`) : send('DELETE', `${at}/${last}`);
      },
      async () => {
        const { json } = await send('GET', `${hook}/deliveries?per_page=1`);
        const [last] = json as unknown as Json[];
        return send('POST', `${hook}/deliveries/${last?.['id'] ?? 1}/attempts`);
      },
      (round) => send(round % 2 === 0 ? 'PUT' : 'DELETE', '/user/starred/admin/hooked'),
      (round) => send(round % 2 === 0 ? 'DELETE' : 'PUT', '/user/starred/admin/hooked'),
    ];
    await runClients(server(), (client, round) => changes[client]!(round), {
      allowed: [200, 201, 202, 204, 404, 422],
    });
    const events = await server()
      .app.kernel.db.selectFrom('host_events')
      .select('number')
      .where('repository_number', '=', repository['id'] as number)
      .where('name', '=', 'star')
      .execute();
    assert.ok(events.length > 0);
    const told = () =>
      new Set(
        receiver
          .at('/kept')
          .filter(({ headers }) => headers['x-github-event'] === 'star')
          .map(({ headers }) => headers['x-github-delivery']),
      );
    await eventually(() => told().size >= events.length, `${events.length} events`);
    assert.equal(told().size, events.length);
    const { json: left } = await send('GET', at);
    assert.ok((left as unknown as Json[]).length <= 2);
  });
}
