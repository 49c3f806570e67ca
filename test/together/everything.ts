// Every route of the flag service that writes, called by many at the same time on one of everything.
import { test } from 'node:test';
import { flagsApi } from '../../src/flags/api.ts';
import type { RouteShape } from '../../src/kernel/route.ts';
import { BETA, pathIn, setScene, type Scene } from '../conformance/flags-scene.ts';
import { WRITES } from '../conformance/flags-writes.ts';
import { rounds } from '../long.ts';
import type { Answer, TestServer } from '../server.ts';
import { CLIENTS, contest } from './contest.ts';

/** Where others have taken a thing away, or made it. */
const ALLOWED = [200, 201, 202, 204, 207, 400, 403, 404, 409];

export function declareEverything(server: () => TestServer): void {
  const writes = flagsApi.routes.map(({ shape }) => shape).filter(({ id }) => WRITES[id] !== undefined);
  const isDelete = ({ method }: RouteShape) => method === 'DELETE';

  test('everything changes at once, and then everything goes', async () => {
    const scene = await setScene(server(), 'together');
    scene.parameters['deliveryId'] = '0'.repeat(24);
    const changes = writes.filter((shape) => !isDelete(shape));
    // In the order of the table all that is in a project goes before the project.
    const deletes = Object.keys(WRITES).flatMap((id) =>
      writes.filter((shape) => shape.id === id && isDelete(shape)),
    );
    for (const shapes of [changes, deletes]) {
      await contest(
        server(),
        (client, round) => walk(shapes[placeOf(client, round, shapes.length)]!, scene, client),
        {
          allowed: ALLOWED,
          isChained: false,
          rounds: rounds(Math.ceil(shapes.length / 2), shapes.length),
        },
      );
    }
  });

  /** Half of the clients go from the front and half from the back, each from another place. */
  function placeOf(client: number, round: number, length: number): number {
    const step = Math.floor((client * length) / CLIENTS) + round;
    return client % 2 === 0 ? step % length : length - 1 - (step % length);
  }

  async function walk(shape: RouteShape, scene: Scene, client: number): Promise<Answer> {
    const { init, query = '' } = WRITES[shape.id]!;
    const { headers, ...rest } = init(scene, `together-${client % 2}`);
    return await server().call(pathIn(scene, shape)! + query, {
      ...rest,
      method: shape.method,
      headers: { ...BETA, ...headers },
    });
  }
}
