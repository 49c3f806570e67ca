// The representation of access tokens, and the rules for creating and patching them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Member } from '../../kernel/identity/store-members.ts';
import type { Token } from '../../kernel/identity/store-tokens.ts';
import {
  isTokenOwner,
  patchToken,
  readTokenPost,
  tokenResource,
  toTokenDetail,
  toTokenSummary,
} from './model.ts';

const NOW = 1_800_000_000_000;
const ID = '0123456789abcdef01234567';
const ada: Member = {
  id: 'aaaaaaaaaaaaaaaaaaaaaaaa',
  number: 1,
  username: 'ada',
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: undefined,
  role: 'writer',
  customRoles: [],
  createdAt: NOW,
  updatedAt: NOW,
};
const token: Token = {
  id: ID,
  memberId: ada.id,
  isService: false,
  name: 'ci',
  description: '',
  ending: 'wxyz',
  customRoles: [],
  role: 'writer',
  createdAt: NOW,
  modifiedAt: NOW,
  version: 3,
};
const { role: _role, ...bare } = token;
const statement = { effect: 'allow' as const, actions: ['view*'], resources: ['proj/*'] };

describe('as it is shown', () => {
  test('a summary leaves out power that is not a role, a detail has all of it', () => {
    const narrow: Token = { ...bare, inlinePolicy: [statement] };
    assert.equal('inlineRole' in toTokenSummary(narrow), false);
    assert.deepEqual(toTokenDetail(narrow, undefined).inlineRole, [statement]);
    assert.deepEqual(toTokenDetail({ ...bare, customRoles: ['a'] }, undefined).customRoleIds, ['a']);
  });

  test('only its ending is shown, unless the secret is handed in', () => {
    assert.equal(toTokenDetail(token, ada).token, 'wxyz');
    assert.equal(toTokenDetail(token, ada, 'api-whole').token, 'api-whole');
  });

  test('what is not set is absent, so that a patch sees it as absent', () => {
    const shown = JSON.stringify(toTokenDetail(token, ada));
    for (const name of [
      'lastUsed',
      'expiry',
      'customRoleIds',
      'inlineRole',
      'lastName',
      'undefined',
      'null',
    ]) {
      assert.ok(!shown.includes(name), name);
    }
    assert.match(shown, /"firstName":"Ada"/);
  });

  test('its version and its hash are not shown', () => {
    assert.deepEqual(
      Object.keys(toTokenDetail(token, undefined)).filter((name) => /version|hash/.test(name)),
      [],
    );
  });
});

describe('its name in policies', () => {
  const session: KnownCaller = { kind: 'session', member: ada, grants: [] };
  const service: KnownCaller = {
    kind: 'token',
    member: ada,
    token: { ...token, isService: true },
    grants: [],
  };

  test("is below me for one's own, below the member for others, and apart for service tokens", () => {
    assert.equal(tokenResource(token, session), `member/me:token/${ID}`);
    assert.equal(tokenResource({ ...token, memberId: 'b' }, session), `member/b:token/${ID}`);
    assert.equal(tokenResource({ ...token, isService: true }, session), `service-token/${ID}`);
  });

  test('a service token owns nothing, though it names its maker', () => {
    assert.equal(isTokenOwner(service, ada.id), false);
    assert.equal(tokenResource(token, service), `member/${ada.id}:token/${ID}`);
  });
});

describe('making one', () => {
  test('without power makes a reader, and empty lists are none', () => {
    for (const post of [{}, { customRoleIds: [] }, { inlineRole: [] }]) {
      const { role, customRoles, inlinePolicy } = readTokenPost(post, ada.id, NOW);
      assert.deepEqual(
        { role, customRoles, inlinePolicy },
        { role: 'reader', customRoles: [], inlinePolicy: undefined },
      );
    }
  });

  test('takes one kind of power', () => {
    const both = [
      { role: 'reader' as const, inlineRole: [statement] },
      { role: 'reader' as const, customRoleIds: ['a'] },
      { customRoleIds: ['a'], inlineRole: [statement] },
    ];
    for (const post of both) assert.throws(() => readTokenPost(post, ada.id, NOW), { kind: 'invalid' });
    assert.deepEqual(readTokenPost({ inlineRole: [statement] }, ada.id, NOW).inlinePolicy, [statement]);
  });

  test('promises only versions there are, and ends that are to come', () => {
    for (const defaultApiVersion of [20_220_603, 20_240_415]) {
      assert.equal(readTokenPost({ defaultApiVersion }, ada.id, NOW).defaultApiVersion, defaultApiVersion);
    }
    for (const defaultApiVersion of [20_160_426, 20_160_427])
      assert.throws(() => readTokenPost({ defaultApiVersion }, ada.id, NOW), { kind: 'invalid' });
    assert.equal(readTokenPost({ expiry: NOW + 1 }, ada.id, NOW).expiresAt, NOW + 1);
    assert.throws(() => readTokenPost({ expiry: NOW }, ada.id, NOW), { kind: 'invalid' });
  });
});

describe('patching one', () => {
  const patch = (...operations: unknown[]) => patchToken(token, ada, { kind: 'json', operations });
  const set = (path: string, value: unknown) => ({ op: 'add', path, value });

  test('changes name, description and power, and nothing else', () => {
    assert.deepEqual(patch(set('/name', 'new'), set('/description', 'why'), set('/role', 'reader')), {
      ...token,
      name: 'new',
      description: 'why',
      role: 'reader',
    });
    for (const name of [
      '_id',
      '_links',
      'token',
      'ownerId',
      'memberId',
      'creationDate',
      'serviceToken',
      'expiry',
      'x',
    ]) {
      assert.throws(() => patch(set(`/${name}`, 'x')), { kind: 'invalid' }, name);
    }
  });

  test('an empty patch is the same token', () => {
    assert.deepEqual(patch(), token);
  });

  test('another kind of power takes the place of the one before', () => {
    assert.deepEqual(patch(set('/inlineRole', [statement])), { ...bare, inlinePolicy: [statement] });
    assert.deepEqual(patch(set('/customRoleIds', ['a'])), { ...bare, customRoles: ['a'] });
    const narrow: Token = { ...bare, inlinePolicy: [statement] };
    assert.deepEqual(patchToken(narrow, ada, { kind: 'json', operations: [set('/role', 'reader')] }), {
      ...token,
      role: 'reader',
    });
  });

  test('two new kinds at once are one too many', () => {
    assert.throws(() => patch(set('/inlineRole', [statement]), set('/customRoleIds', ['a'])), {
      kind: 'invalid',
    });
  });

  test('an empty list gives no power and takes none', () => {
    assert.equal(patch(set('/customRoleIds', [])).role, 'writer');
    assert.equal(patch(set('/inlineRole', [])).role, 'writer');
  });

  test('taking all power away leaves a reader', () => {
    assert.equal(patch({ op: 'remove', path: '/role' }).role, 'reader');
    const narrow: Token = { ...bare, inlinePolicy: [statement] };
    assert.equal(
      patchToken(narrow, ada, { kind: 'json', operations: [{ op: 'remove', path: '/inlineRole' }] }).role,
      'reader',
    );
  });

  test('the whole thing may be sent back, in any order of its members', () => {
    const value = {
      ...Object.fromEntries(Object.entries(toTokenDetail(token, ada)).reverse()),
      name: 'back',
    };
    assert.deepEqual(patch({ op: 'replace', path: '', value }), { ...token, name: 'back' });
  });

  test('it does not become anything but a token', () => {
    for (const value of [null, 'text', 5, true, []]) {
      assert.throws(() => patch({ op: 'replace', path: '', value }), { kind: 'bad-patch' });
    }
    assert.throws(() => patch({ op: 'replace', path: '', value: {} }), { kind: 'invalid' });
  });
});
