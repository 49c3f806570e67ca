// Creates one resource of each kind over the flags API, for tests that call all routes.
import assert from 'node:assert/strict';
import type { RouteShape } from '../../../src/kernel/http/route.ts';
import { eventually } from '../../eventually.ts';
import type { CallInit, Json, TestServer } from '../../server.ts';
import { toForm } from './segments/file-calls.ts';

/** Beta routes need this header. */
export const BETA = { 'ld-api-version': 'beta' };

export const SEMANTIC = { 'content-type': 'application/json; domain-model=launchdarkly.semanticpatch' };

/** The values of path parameters by name; the meaning of `id` depends on the path. */
export interface SampleResources {
  parameters: Record<string, string>;
  ids: Record<string, string>;
}

const rule = { effect: 'allow', actions: ['*'], resources: ['proj/*'] };

/** `name` makes the keys unique on one server. */
export async function createSampleResources({ call }: TestServer, name: string): Promise<SampleResources> {
  const post = async (path: string, body: unknown): Promise<Json> => {
    const { status, json, text } = await call(`/api/v2/${path}`, { method: 'POST', headers: BETA, body });
    assert.ok(status < 300, `POST ${path}: ${status} ${text}`);
    return json;
  };
  /** Starts background work and waits until it is complete, so that later checks do not see its changes. */
  const begin = async (path: string, init: CallInit): Promise<string> => {
    const { headers, text } = await call(`/api/v2/${path}`, init);
    const location = headers.get('location') ?? assert.fail(text);
    await eventually(async () => (await call(location)).json['status'] === 'complete');
    return location.split('/').at(-1)!;
  };
  const key = `walk-${name}`;
  await post('projects', { key, name: key });
  await post(`flags/${key}`, { key, name: key, tags: ['walked'] });
  await post(`segments/${key}/test`, { key, name: key, unbounded: true, unboundedContextKind: 'user' });
  await post('teams', { key, name: key });
  await post('roles', { key, name: key, policy: [rule] });
  const members = await post('members', [{ email: `${key}@example.com`, role: 'reader' }]);
  const token = await post('tokens', { name: key, role: 'reader', serviceToken: true });
  const webhook = await post('webhooks', { url: 'https://example.com/hook', sign: true, on: false });
  const subscription = await post('integrations/splunk', {
    name: key,
    config: { 'base-url': 'https://splunk.example', token: key },
  });
  const relay = await post('account/relay-auto-configs', { name: key, policy: [rule] });
  const branch = `code-refs/repositories/${key}/branches/main`;
  await post('code-refs/repositories', { name: key });
  const hunks = [{ startingLineNumber: 1, projKey: key, flagKey: key }];
  const scan = { name: 'main', head: 'a', syncTime: 1, references: [{ path: 'a.ts', hunks }] };
  const scanned = await call(`/api/v2/${branch}`, { method: 'PUT', body: scan });
  assert.equal(scanned.status, 200, scanned.text);
  const extinction = { revision: 'a', message: 'gone', time: 1, projKey: key, flagKey: key };
  assert.equal(
    (await call(`/api/v2/${branch}/extinction-events`, { method: 'POST', body: [extinction] })).status,
    200,
  );
  const place = `projects/${key}/flags/${key}/environments/test`;
  const instructions = [{ kind: 'turnFlagOn' }];
  const request = await post(`${place}/approval-requests`, { description: key, instructions });
  const executionDate = Date.now() + 3_600_000;
  const change = await post(`${place}/scheduled-changes`, { executionDate, instructions });
  const trigger = await post(`flags/${key}/${key}/triggers/test`, {
    integrationKey: 'generic-trigger',
    instructions,
  });
  const link = await post(`flag-links/projects/${key}/flags/${key}`, { deepLink: 'https://example.com/1' });
  const importID = await begin(`segments/${key}/test/${key}/imports`, await toForm('someone'));
  const exportID = await begin(`segments/${key}/test/${key}/exports`, { method: 'POST' });
  const { json: log } = await call(`/api/v2/auditlog?spec=proj/${key}&limit=1`);
  return {
    parameters: {
      projectKey: key,
      environmentKey: 'test',
      featureFlagKey: key,
      segmentKey: key,
      importID,
      exportID,
      teamKey: key,
      customRoleKey: key,
      integrationKey: 'splunk',
      repo: key,
      branch: 'main',
      contextKind: 'user',
      contextKey: 'someone',
      userKey: 'someone',
      memberId: members['items'][0]._id,
    },
    ids: {
      tokens: token['_id'],
      members: members['items'][0]._id,
      webhooks: webhook['_id'],
      'relay-auto-configs': relay['_id'],
      integrations: subscription['_id'],
      auditlog: log['items'][0]._id,
      'approval-requests': request['_id'],
      'scheduled-changes': change['_id'],
      triggers: trigger['_id'],
      flags: link['_id'],
    },
  };
}

/** The path of a route for the samples; undefined if they lack a parameter. */
export function pathFor({ parameters, ids }: SampleResources, { path }: RouteShape): string | undefined {
  let isWhole = true;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name] ?? (name === 'id' ? ids[kindIn(path)] : undefined);
    isWhole &&= value !== undefined;
    return value ?? '';
  });
  return isWhole ? `/api/v2${filled}` : undefined;
}

/** The kind of resource that `{id}` names: the last word before it. */
function kindIn(path: string): string {
  const words = path.slice(0, path.indexOf('/{id}')).split('/');
  return words.findLast((word) => !word.startsWith('{')) ?? '';
}
