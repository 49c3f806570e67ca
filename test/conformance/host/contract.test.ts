// Which changes of the host API break callers, found by comparing OpenAPI documents: rules H8 and H9.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostApi } from '../../../src/host/api.ts';
import { diffContracts, type DifferenceKind } from '../../../tools/contract/diff.ts';
import type { Api } from '../../../src/kernel/http/protocol.ts';
import { describeApi } from '../../../src/kernel/openapi/document.ts';
import { route } from '../../../src/kernel/http/route.ts';
import { Type } from '../../../src/kernel/schema/schema.ts';
import type { Answer } from '../../server.ts';

const OLD = '2022-11-28';
const NEW = '2026-03-10';

type Json = Answer['json'];

/** Described once, because that takes as long as a comparison. */
const DOCUMENTS = { [OLD]: describeApi(hostApi, OLD, {}), [NEW]: describeApi(hostApi, NEW, {}) } as const;

/** The old version of the few paths that the edits below concern: comparing all of them each time takes seconds. */
const EXCERPT: Json = { ...DOCUMENTS[OLD], paths: {} };
for (const path of ['/meta', '/rate_limit', '/search/users', '/users/{username}', '/zen'])
  EXCERPT['paths'][path] = (DOCUMENTS[OLD] as Json)['paths'][path];

/** The excerpt with an edit. */
function edited(edit: (document: Json) => void): unknown {
  const document = structuredClone(EXCERPT);
  edit(document);
  return document;
}

const GISTS = /^(GET|POST|PATCH) (\/users\/\{username\})?\/gists.* →/;

/** What the catalogue removes, and the operations that may have it, in requests (`←`) or replies (`→`). */
const REMOVED: Record<string, RegExp> = {
  authorizations_url: /^GET \/ →/,
  rate: /^GET \/rate_limit →/,
  permission: /^POST \/orgs\/\{org\}\/teams ←/,
  secret_scanning_push_protection_custom_link_enabled: /^(GET|PATCH) \/orgs\/\{org\} [←→]/,
  // Repositories are nested in many replies.
  use_squash_pr_title_as_default: /[←→]/,
  has_downloads: /[←→]/,
  // Those of repositories are for the beta media type alone, which documents do not describe.
  master_branch: /^GET .*events.* →/,
  history: GISTS,
  forks: GISTS,
  user: GISTS,
  'installation_id} → 204': /^DELETE \/app\/installations/,
  'json+sarif': /^GET .*\/code-scanning\/analyses\/\{analysis_id\} → 200/,
  'languages[]': /^GET .*\/code-scanning\/default-setup →/,
};

/** What stands in the place of something that is removed. */
const REPLACEMENTS = [
  'DELETE /app/installations/{installation_id} → 202',
  'GET /repos/{owner}/{repo}/code-scanning/analyses/{analysis_id} → 200 application/sarif+json',
];

test('H8 the two versions differ by exactly what the catalogue says', () => {
  const found = diffContracts(DOCUMENTS[OLD], DOCUMENTS[NEW]);
  const removed = new Set<string>();
  for (const { severity, kind, where } of found) {
    const told = `${severity} ${kind} ${where}`;
    if (kind === 'operation-removed') {
      assert.equal(where, 'GET /organizations/{organization_id}/custom_roles');
      continue;
    }
    const name = Object.keys(REMOVED).find((one) =>
      new RegExp(`(^|[./: {])${RegExp.escape(one)}$`).test(where),
    );
    if (kind === 'response-field-added') {
      assert.ok(REPLACEMENTS.includes(where), told);
      continue;
    }
    if (kind === 'enum-values-added') {
      // Submodules have a type of their own in the entries of folders.
      assert.match(where, /\/contents\/.*type$/, told);
      continue;
    }
    assert.ok(name, told);
    assert.equal(severity, 'breaking', told);
    const isOfEnum = name === 'languages[]';
    assert.equal(kind, isOfEnum ? 'enum-values-removed' : 'parameter-or-field-removed', told);
    assert.match(where, REMOVED[name]!, told);
    removed.add(name);
  }
  assert.deepEqual([...removed].toSorted(), Object.keys(REMOVED).toSorted());
});

test('H8 a version does not differ from itself, whatever its sentences say', () => {
  for (const document of Object.values(DOCUMENTS)) {
    assert.deepEqual(diffContracts(document, document), []);
    const retold = JSON.stringify(document).replaceAll(
      /"(description|summary)":"[^"]*"/g,
      '"$1":"Something else."',
    );
    assert.deepEqual(diffContracts(document, JSON.parse(retold)), []);
  }
});

/** One edit for each kind of change in the specification's two lists. */
const EDITS: [DifferenceKind, 'breaking' | 'additive', (document: Json) => void][] = [
  ['operation-removed', 'breaking', ({ paths }) => delete paths['/meta']],
  [
    'parameter-or-field-removed',
    'breaking',
    ({ components }) => {
      delete components.schemas['public-user'].properties.login;
    },
  ],
  [
    'required-parameter-added',
    'breaking',
    ({ paths }) => {
      paths['/zen'].get.parameters.push({
        name: 'mood',
        in: 'query',
        required: true,
        schema: { type: 'string' },
      });
    },
  ],
  [
    'parameter-made-required',
    'breaking',
    ({ paths }) => {
      for (const parameter of paths['/search/users'].get.parameters)
        if (parameter.name === 'per_page') parameter.required = true;
    },
  ],
  [
    'type-changed',
    'breaking',
    ({ components }) => {
      components.schemas['rate-limit'].properties.reset = { type: 'string' };
    },
  ],
  [
    'validation-rule-added',
    'breaking',
    ({ paths }) => {
      paths['/users/{username}'].get.parameters[0].schema.maxLength = 5;
    },
  ],
  [
    'access-changed',
    'breaking',
    ({ paths }) => {
      paths['/meta'].get.security = [{ token: [] }];
    },
  ],
  ['operation-added', 'additive', ({ paths }) => (paths['/moods'] = { get: { responses: {} } })],
  [
    'optional-parameter-added',
    'additive',
    ({ paths }) => {
      paths['/zen'].get.parameters.push({ name: 'mood', in: 'query', schema: { type: 'string' } });
    },
  ],
  [
    'optional-request-header-added',
    'additive',
    ({ paths }) => {
      paths['/zen'].get.parameters.push({ name: 'X-Mood', in: 'header', schema: { type: 'string' } });
    },
  ],
  [
    'response-field-added',
    'additive',
    ({ components }) => {
      components.schemas['api-overview'].properties.motto = { type: 'string' };
    },
  ],
  [
    'response-header-added',
    'additive',
    ({ paths }) => {
      paths['/zen'].get.responses['200'].headers = { 'X-Mood': { schema: { type: 'string' } } };
    },
  ],
];

for (const [kind, severity, edit] of EDITS) {
  test(`H8 an edit of the old version is caught and named ${severity}: ${kind}`, () => {
    const found = diffContracts(EXCERPT, edited(edit));
    assert.ok(found.length > 0);
    for (const difference of found)
      assert.deepEqual([difference.kind, difference.severity], [kind, severity]);
  });
}

test('H8 enum values are counted in both directions', () => {
  const withMoods = (...moods: string[]) =>
    edited(({ paths }) => {
      const schema = { type: 'string', enum: moods };
      paths['/zen'].get.parameters.push({ name: 'mood', in: 'query', schema });
    });
  const kinds = (older: unknown, newer: unknown) => diffContracts(older, newer).map(({ kind }) => kind);
  assert.deepEqual(kinds(withMoods('calm'), withMoods('calm', 'stern')), ['enum-values-added']);
  assert.deepEqual(kinds(withMoods('calm', 'stern'), withMoods('calm')), ['enum-values-removed']);
});

test('H9 a route that is added without a mark is in every version, and breaks none', () => {
  const added = route(
    {
      id: 'meta/get-mood',
      method: 'GET',
      path: '/moods',
      summary: 'Get a picture in letters',
      access: 'anyone',
      query: Type.Object({ s: Type.Optional(Type.String()) }),
      reply: { 200: Type.Object({ picture: Type.String() }) },
    },
    () => ({ picture: '' }),
  );
  const grown: Api = { ...hostApi, routes: [...hostApi.routes, added] };
  for (const version of [OLD, NEW] as const) {
    const found = diffContracts(DOCUMENTS[version], describeApi(grown, version, {}));
    assert.deepEqual(
      found.map(({ severity, kind, where }) => [severity, kind, where]),
      [['additive', 'operation-added', 'GET /moods']],
    );
  }
});
