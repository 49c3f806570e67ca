// The check of the host's replies: what it refuses, and what it leaves alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkHostReply } from './check-reply.ts';
import { removedNamesIn } from './removed-names.ts';
import { problemsWith } from './check-shape.ts';
import { Operations } from './find-operation.ts';

const OLD = '2022-11-28';
const NEW = '2026-03-10';

interface Given {
  method?: string;
  version?: string;
  status?: number;
  media?: string;
  type?: string;
}

function check(path: string, body: unknown, given: Given = {}): void {
  const {
    method = 'GET',
    version = OLD,
    status = 200,
    media = 'github.v3',
    type = 'application/json',
  } = given;
  const headers: Record<string, string> = {
    'x-github-api-version-selected': version,
    'x-github-media-type': media,
    'content-type': `${type}; charset=utf-8`,
  };
  checkHostReply({ method, path, status, header: (name) => headers[name], text: JSON.stringify(body) });
}

const SETUP = '/repos/{owner}/{repo}/code-scanning/default-setup';
const counter = { limit: 1, remaining: 1, reset: 1, used: 0 };
const resources = { core: counter, search: counter };
const email = { email: 'a@example.com', primary: true, verified: true, visibility: null };

test('a reply has the shape of the version that answered', () => {
  check('/rate_limit', { resources, rate: counter });
  assert.throws(
    () => check('/rate_limit', { resources }),
    /rate_limit \(200, 2022-11-28\): \/rate is missing/,
  );
  check('/rate_limit', { resources }, { version: NEW });
  check('/api/v3/user/emails?per_page=1', [email]);
  assert.throws(
    () => check('/user/emails', [email, { ...email, primary: 1 }]),
    /\/1\/primary is integer, not boolean/,
  );
  assert.throws(() => check('/user/emails', {}), /the body is object, not array/);
});

test('what a version removed is found at any depth', () => {
  const rates = { resources, rate: counter };
  assert.throws(() => check('/rate_limit', rates, { version: NEW }), /what the version removed: \/rate/);
  const emails = [{ ...email, nested: [{ has_downloads: true }] }];
  check('/user/emails', emails);
  assert.throws(
    () => check('/user/emails', emails, { version: NEW }),
    /removed: \/0\/nested\/0\/has_downloads/,
  );
  check('/user/emails', [{ ...email, forks: 3 }], { version: NEW });
  const events = [{ ...email, payload: { master_branch: 'main' } }];
  assert.throws(
    () => check('/user/emails', events, { version: NEW }),
    /removed: \/0\/payload\/master_branch/,
  );
});

test('what a version removed from gists and from the languages of code scanning is found', () => {
  const gist = { git_pull_url: 'x', owner: { login: 'ann' } };
  const history = [{ user: { login: 'ann' } }];
  for (const [operation, body, found] of [
    ['/gists/{gist_id}', { ...gist, history, forks: [] }, ['/history', '/forks']],
    ['/gists', [{ ...gist, user: { login: 'ann' } }], ['/0/user']],
    ['/gists', [{ ...gist, user: null }], []],
    ['/gists/{gist_id}/commits', history, []],
    ['/repos/{owner}/{repo}', { forks: 3, user: {} }, []],
    [SETUP, { languages: ['javascript', 'javascript-typescript'] }, ['/languages/0']],
    [SETUP, { languages: ['javascript-typescript', 'go'] }, []],
  ] as const)
    assert.deepEqual(removedNamesIn(operation, body), found, JSON.stringify(body));
});

test('errors have the usual shape, and a success that is not described is refused', () => {
  check('/user/emails', { message: 'Not Found', documentation_url: 'x', status: '404' }, { status: 404 });
  check('/nowhere', { message: 'Not Found' }, { status: 404 });
  assert.throws(() => check('/user/emails', { message: 1 }, { status: 415 }), /\/message is integer/);
  assert.throws(() => check('/user/emails', [], { status: 202 }), /the status is not described/);
  assert.throws(() => check('/nowhere', {}), /the operation is not described/);
});

test('a pull request among the issues that is not merged has null for the time of it, in each version', () => {
  for (const version of [OLD, NEW]) {
    const checkMergedAt = (time: unknown) => () =>
      check('/repos/a/b/issues/1', { pull_request: { merged_at: time } }, { version });
    assert.throws(checkMergedAt(1), /merged_at is integer/);
    // Other properties are missing.
    assert.throws(checkMergedAt(null), ({ message }: Error) => !message.includes('merged_at'));
  }
});

test('replies that no description has, or that are not JSON, are left alone', () => {
  check('/user/emails', ['a@example.com'], { media: 'github.beta; format=json' });
  check('/openapi.json', {});
  check('/user/emails', 'text', { type: 'text/plain' });
  checkHostReply({ method: 'GET', path: '/v2/x', status: 200, header: () => undefined, text: '{}' });
});

test('an operation is found by literal words first, by number too, and with a rest', () => {
  const operations = new Operations([
    'GET /repos/{owner}/{repo}',
    'GET /repos/{owner}/{repo}/contents/{path}',
    'GET /repos/{owner}/{repo}/{other}',
    'GET /repos/{owner}/{repo}/tags',
    'GET /repos/{owner}/{repo}/commits/{ref}',
    'GET /repos/{owner}/{repo}/commits/{ref}/status',
    'GET /organizations/{organization_id}/custom_roles',
    'GET /orgs/{org}',
    'GET /',
  ]);
  for (const [path, name] of [
    ['/repos/a/b', '/repos/{owner}/{repo}'],
    ['/repositories/1', '/repos/{owner}/{repo}'],
    ['/repos/a/b/tags?page=2', '/repos/{owner}/{repo}/tags'],
    ['/repos/a/b/contents', '/repos/{owner}/{repo}/contents/{path}'],
    ['/repos/a/b/commits/x/y/z', '/repos/{owner}/{repo}/commits/{ref}'],
    ['/repos/a/b/commits/x%2Fy/status', '/repos/{owner}/{repo}/commits/{ref}/status'],
    ['/repositories/1/contents/x/y', '/repos/{owner}/{repo}/contents/{path}'],
    ['/organizations/1/custom_roles', '/organizations/{organization_id}/custom_roles'],
    ['/organizations/1', '/orgs/{org}'],
    ['/api/v3', '/'],
    ['/', '/'],
  ] as const)
    assert.equal(operations.find('HEAD', path), `GET ${name}`, path);
  assert.equal(operations.find('POST', '/'), undefined);
});

test('shapes are read with references, alternatives, enumerations and maps', () => {
  const shape = {
    type: 'object',
    required: ['a'],
    properties: {
      a: { anyOf: [{ $ref: 'word' }, { type: 'null' }] },
      b: { allOf: [{ type: 'string' }, { enum: ['x', 'y'] }] },
    },
    additionalProperties: { type: 'number' },
  };
  const problems = (value: unknown) => problemsWith(value, shape, () => ({ type: 'string' }));
  assert.deepEqual(problems({ a: null, b: 'x', c: 1, d: 1.5 }), []);
  assert.deepEqual(problems({ a: 1, b: 'z', c: 'no' }), [
    '/a is integer, not string',
    '/b is "z", not one of ["x","y"]',
    '/c is string, not number',
  ]);
  assert.deepEqual(problems({}), ['/a is missing']);
});
