// Calls for tests of segments, in a project with the environments `test` and `production`.
import { replaceSegmentUses } from '../../../../src/flags/segments/store-uses.ts';
import type { Answer, CallInit, TestServer } from '../../../server.ts';

export const SEMANTIC = { 'content-type': 'application/json; domain-model=launchdarkly.semanticpatch' };

/** The server may be started later. */
export function segmentCalls(server: () => TestServer) {
  const call = (path: string, init?: CallInit): Promise<Answer> => server().call(`/api/v2/${path}`, init);
  const at = (key: string, environment = 'test') => `segments/shop/${environment}/${key}`;
  return {
    call,
    at,
    makeProject: () => call('projects', { method: 'POST', body: { key: 'shop', name: 'Shop' } }),
    list: (query = '', init?: CallInit) => call(`segments/shop/test?${query}`, init),
    post: (body: object, init?: CallInit) => call('segments/shop/test', { method: 'POST', body, ...init }),
    read: (key: string, init?: CallInit) => call(at(key), init),
    patch: (key: string, body: unknown, init?: CallInit) => call(at(key), { method: 'PATCH', body, ...init }),
    instruct: (key: string, instructions: object[], more: object = {}, query = '') =>
      call(at(key) + query, { method: 'PATCH', headers: SEMANTIC, body: { instructions, ...more } }),
    remove: (key: string, init?: CallInit) => call(at(key), { method: 'DELETE', ...init }),
    change: (key: string, body: unknown, init?: CallInit) =>
      call(`${at(key)}/contexts`, { method: 'POST', body, ...init }),
    /** The audit entries of a segment. */
    events: (key: string, environment = 'test') =>
      server()
        .app.kernel.db.selectFrom('events')
        .selectAll()
        .where('resource', '=', `proj/shop:env/${environment}:segment/${key}`)
        .orderBy('seq')
        .execute(),
    /** Creates a flag whose rules in `test` name the segment. */
    async useInFlag(segmentKey: string, flagKey: string) {
      const { db } = server().app.kernel;
      const environment = await db
        .selectFrom('environments')
        .innerJoin('projects', 'projects.id', 'environments.project_id')
        .where('projects.key', '=', 'shop')
        .where('environments.key', '=', 'test')
        .select(['environments.id', 'environments.project_id'])
        .executeTakeFirstOrThrow();
      const id = `flag-${flagKey}`;
      const row = {
        id,
        project_id: environment.project_id,
        key: flagKey,
        name: flagKey.toUpperCase(),
        words: flagKey,
      };
      const rest = {
        tags: '[]',
        is_temporary: 0,
        state: 'live',
        availability: 0,
        maintainer_id: null,
        maintainer_team: null,
      };
      await db
        .insertInto('flags')
        .values({ ...row, ...rest, version: 1, created_at: 1, doc: '{}' })
        .onConflict((conflict) => conflict.columns(['project_id', 'key']).doNothing())
        .execute();
      await replaceSegmentUses(db, environment.id, id, segmentKey === '' ? [] : [segmentKey]);
    },
  };
}
