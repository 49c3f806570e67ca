// Concurrent calls of every route of the flag service that writes, on one resource of each kind.
import { test } from 'node:test';
import { flagsApi } from '../../src/flags/api.ts';
import type { RouteShape } from '../../src/kernel/route.ts';
import {
  BETA,
  pathFor,
  createSampleResources,
  type SampleResources,
} from '../conformance/flags-sample-resources.ts';
import { WRITES } from '../conformance/flags-writes.ts';
import { rounds } from '../long.ts';
import type { Answer, TestServer } from '../server.ts';
import { CLIENTS, runClients } from './concurrent-clients.ts';

/** Includes the statuses for resources that other clients deleted or created. */
const ALLOWED = [200, 201, 202, 204, 207, 400, 403, 404, 409];

export function declareEveryRoute(server: () => TestServer): void {
  const writes = flagsApi.routes.map(({ shape }) => shape).filter(({ id }) => WRITES[id] !== undefined);
  const isDelete = ({ method }: RouteShape) => method === 'DELETE';

  test('everything changes at once, and then everything goes', async () => {
    const samples = await createSampleResources(server(), 'together');
    samples.parameters['deliveryId'] = '0'.repeat(24);
    const changes = writes.filter((shape) => !isDelete(shape));
    // In the order of the table, everything in a project is deleted before the project.
    const deletes = Object.keys(WRITES).flatMap((id) =>
      writes.filter((shape) => shape.id === id && isDelete(shape)),
    );
    for (const shapes of [changes, deletes]) {
      await runClients(
        server(),
        (client, round) => callRoute(shapes[placeOf(client, round, shapes.length)]!, samples, client),
        {
          allowed: ALLOWED,
          isChained: false,
          rounds: rounds(Math.ceil(shapes.length / 2), shapes.length),
        },
      );
    }
  });

  /** Half of the clients go forwards and half backwards, each from another start. */
  function placeOf(client: number, round: number, length: number): number {
    const step = Math.floor((client * length) / CLIENTS) + round;
    return client % 2 === 0 ? step % length : length - 1 - (step % length);
  }

  async function callRoute(shape: RouteShape, samples: SampleResources, client: number): Promise<Answer> {
    const { init, query = '' } = WRITES[shape.id]!;
    const { headers, ...rest } = init(samples, `together-${client % 2}`);
    return await server().call(pathFor(samples, shape)! + query, {
      ...rest,
      method: shape.method,
      headers: { ...BETA, ...headers },
    });
  }
}
