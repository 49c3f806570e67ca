// Concurrent calls of every route of the flag service that writes, on one resource of each kind.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flagsApi } from '../../src/flags/api.ts';
import type { RouteShape } from '../../src/kernel/http/route.ts';
import { expect, giveMember, MINUTE, ON } from '../conformance/flags/control-calls.ts';
import {
  BETA,
  SEMANTIC,
  pathFor,
  createSampleResources,
  type SampleResources,
} from '../conformance/flags/sample-resources.ts';
import { WRITES, type Write } from '../conformance/flags/writes.ts';
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
    const { writes: possible, check } = await makePossible(samples);
    const changes = writes.filter((shape) => !isDelete(shape));
    // In the order of the table, everything in a project is deleted before the project.
    const deletes = Object.keys(WRITES).flatMap((id) =>
      writes.filter((shape) => shape.id === id && isDelete(shape)),
    );
    for (const shapes of [changes, deletes]) {
      const answers = new Map<string, Answer[]>();
      await runClients(
        server(),
        async (client, round) => {
          const shape = shapes[placeOf(client, round, shapes.length)]!;
          const answer = await callRoute(shape, possible[shape.id] ?? WRITES[shape.id]!, samples, client);
          answers.set(shape.id, [...(answers.get(shape.id) ?? []), answer]);
          return answer;
        },
        {
          allowed: ALLOWED,
          isChained: false,
          rounds: rounds(Math.ceil(shapes.length / 2), shapes.length),
        },
      );
      if (shapes === changes) await check(answers);
    }
  });

  /**
   * Most samples take any change. An approval request can only be applied once somebody has approved it, a copy changes
   * something only where environments differ, and a target has a date only where there is one.
   */
  async function makePossible({ parameters, ids }: SampleResources) {
    const { projectKey, featureFlagKey } = parameters;
    const flagPath = `/api/v2/flags/${projectKey}/${featureFlagKey}`;
    const requestPath = `/api/v2/approval-requests/${ids['approval-requests']}`;
    const { token } = await giveMember(server());
    const approval = { method: 'POST', headers: BETA, token, body: { kind: 'approve' } };
    await expect(200, server().call(`${requestPath}/reviews`, approval));
    const { variations } = (await expect(200, server().call(flagPath))).json;
    const variationId = variations[0]._id as string;
    const target = { contextKind: 'user', contextKey: 'expiring', variationId };
    const soon = server().clock.now() + 60 * MINUTE;
    const patch = (path: string, body: object) =>
      expect(200, server().call(path, { method: 'PATCH', headers: { ...SEMANTIC, ...BETA }, body }));
    const values = [target.contextKey];
    const addTargets = { kind: 'addTargets', contextKind: 'user', variationId, values };
    await patch(flagPath, { environmentKey: 'test', instructions: [ON, addTargets] });
    const expiring = `${flagPath}/expiring-targets/test`;
    await patch(expiring, { instructions: [{ kind: 'addExpiringTarget', ...target, value: soon }] });
    const write = (instruction: (round: string) => object): Write => ({
      least: 'writer',
      init: (_, round) => ({ headers: SEMANTIC, body: { instructions: [instruction(round)] } }),
    });
    const later = (round: string) => soon + (round === 'together-0' ? 1000 : 2000);
    const user = { userKey: target.contextKey, variationId };
    const dates: Record<string, Write> = {
      patchExpiringTargets: write((round) => ({
        kind: 'updateExpiringTarget',
        ...target,
        value: later(round),
      })),
      patchExpiringUserTargets: write((round) => ({
        kind: 'updateExpireUserTargetDate',
        ...user,
        value: later(round),
      })),
    };
    return {
      writes: dates,
      async check(answers: ReadonlyMap<string, readonly Answer[]>) {
        const statusesOf = (...routes: string[]) =>
          routes.flatMap((id) => answers.get(id) ?? assert.fail(id)).map(({ status }) => status);
        const applied = statusesOf('postApprovalRequestApply', 'postApprovalRequestApplyForFlag');
        assert.equal(applied.filter((status) => status === 200).length, 1, 'it is applied once');
        const { json: request } = await server().call(requestPath, { headers: BETA });
        assert.equal(request['status'], 'completed');
        for (const status of statusesOf('copyFeatureFlag', ...Object.keys(dates)))
          assert.ok(status === 200 || status === 201, `${status}`);
        const { environments } = (await server().call(flagPath)).json;
        assert.deepEqual([environments.test.on, environments.production.on], [true, true]);
        const { items } = (await server().call(expiring, { headers: BETA })).json;
        assert.equal(items.length, 1);
        assert.ok(items[0].expirationDate > soon);
      },
    };
  }

  /** Half of the clients go forwards and half backwards, each from another start. */
  function placeOf(client: number, round: number, length: number): number {
    const step = Math.floor((client * length) / CLIENTS) + round;
    return client % 2 === 0 ? step % length : length - 1 - (step % length);
  }

  async function callRoute(
    shape: RouteShape,
    { init, query = '' }: Write,
    samples: SampleResources,
    client: number,
  ): Promise<Answer> {
    const { headers, ...rest } = init(samples, `together-${client % 2}`);
    return await server().call(pathFor(samples, shape)! + query, {
      ...rest,
      method: shape.method,
      headers: { ...BETA, ...headers },
    });
  }
}
