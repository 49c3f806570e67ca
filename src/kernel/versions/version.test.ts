// Versions: conversion of requests up and replies down, and declarations that are refused at start.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headInVersion } from '../http/reply/reply-head.ts';
import type { RouteShape } from '../http/route.ts';
import { Nullable, OneOf, Type, type TSchema } from '../schema/schema.ts';
import {
  endedTooEarly,
  selectVersion,
  supportedUntil,
  change,
  changesAhead,
  existsIn,
  operationChange,
} from './version.ts';
import { checkVersions } from './check-versions.ts';
import { schemaInVersion } from './schema-version.ts';
import { affectedOperations, changedFieldsOf } from './version-effects.ts';

const Repo = Type.Object({ name: Type.String(), title: Type.String() }, { $id: 'repo' });
const OldRepo = Type.Object({ name: Type.String(), useTitle: Type.Boolean() }, { $id: 'repo' });
const OldestRepo = Type.Object({ fullName: Type.String(), useTitle: Type.Boolean() }, { $id: 'repo' });

const titled = change({
  version: '2026-01-01',
  title: 'useTitle became title',
  advice: 'Use the new name.',
  schema: Repo,
  before: OldRepo,
  down: ({ name, title }) => ({ name, useTitle: title === 'PR' }),
  up: ({ name, useTitle }) => ({ name, title: useTitle ? 'PR' : 'COMMIT' }),
});
const renamed = change({
  version: '2025-01-01',
  title: 'fullName became name',
  advice: 'Use the new name.',
  schema: OldRepo,
  before: OldestRepo,
  down: ({ name, useTitle }) => ({ fullName: name, useTitle }),
  up: ({ fullName, useTitle }) => ({ name: fullName, useTitle }),
});
const table = { names: ['2024-01-01', '2025-01-01', '2026-01-01'], changes: [titled, renamed] };
const shape = (parts: Partial<RouteShape>): RouteShape => ({
  id: 'repo/get',
  method: 'GET',
  path: '/repo',
  summary: '',
  access: 'anyone',
  ...parts,
});

test('a reply is downgraded through every change after its version, newest first', () => {
  const { downgrade } = schemaInVersion(Repo, '2024-01-01', table);
  assert.deepEqual(downgrade?.({ name: 'a/b', title: 'PR' }), { fullName: 'a/b', useTitle: true });
});

test('a reply in the newest version is left as it is, without any conversion', () => {
  const edition = schemaInVersion(Repo, '2026-01-01', table);
  assert.equal(edition.downgrade, undefined);
  assert.equal(edition.upgrade, undefined);
  assert.equal(edition.schema, Repo);
});

test('a request is upgraded through every change after its version, oldest first', () => {
  const { upgrade, schema } = schemaInVersion(Repo, '2024-01-01', table);
  assert.equal(schema, OldestRepo);
  assert.deepEqual(upgrade?.({ fullName: 'a/b', useTitle: false }), { name: 'a/b', title: 'COMMIT' });
});

test('a change reaches its resource in arrays, maps, nullable members and nested objects', () => {
  const Issue = Type.Object({
    repo: Repo,
    parent: Nullable(Repo),
    forks: Type.Array(Repo),
    byName: Type.Record(Type.String(), Repo),
    other: Type.String(),
  });
  const { downgrade, schema } = schemaInVersion(Issue, '2025-01-01', table);
  const newest = { name: 'n', title: 'PR' };
  const old = { name: 'n', useTitle: true };
  assert.deepEqual(
    downgrade?.({ repo: newest, parent: null, forks: [newest, newest], byName: { n: newest }, other: 'x' }),
    {
      repo: old,
      parent: null,
      forks: [old, old],
      byName: { n: old },
      other: 'x',
    },
  );
  assert.deepEqual((schema as typeof Issue).properties.forks.items, OldRepo);
});

test('an old shape holds the shapes of its own time', () => {
  const Owner = Type.Object({ repo: Repo, name: Type.String() }, { $id: 'owner' });
  const OldOwner = Type.Object({ repo: Repo, login: Type.String() }, { $id: 'owner' });
  const owner = change({
    version: '2025-01-01',
    title: 'login became name',
    advice: 'Use the new name.',
    schema: Owner,
    before: OldOwner,
    down: ({ repo, name }) => ({ repo, login: name }),
  });
  const { schema, downgrade } = schemaInVersion(Owner, '2024-01-01', { ...table, changes: [titled, owner] });
  assert.deepEqual((schema as typeof OldOwner).properties.repo, OldRepo);
  assert.deepEqual(downgrade?.({ repo: { name: 'n', title: 'PR' }, name: 'ann' }), {
    repo: { name: 'n', useTitle: true },
    login: 'ann',
  });
});

const User = Type.Object(
  { type: Type.Literal('User'), login: Type.String(), name: Type.String() },
  { $id: 'user' },
);
const OldUser = Type.Object(
  { type: Type.Literal('User'), login: Type.String(), fullName: Type.String() },
  { $id: 'user' },
);
const Organization = Type.Object(
  { type: Type.Literal('Organization'), login: Type.String(), name: Type.String() },
  { $id: 'organization' },
);
const userRenamed = change({
  version: '2026-01-01',
  title: 'fullName became name',
  advice: 'Use the new name.',
  schema: User,
  before: OldUser,
  down: ({ name, ...rest }) => ({ ...rest, fullName: name }),
  up: ({ fullName, ...rest }) => ({ ...rest, name: fullName }),
});
const users = { names: ['2025-01-01', '2026-01-01'], changes: [userRenamed] };
const ann = { type: 'User', login: 'ann', name: 'Ann' };
const oldAnn = { type: 'User', login: 'ann', fullName: 'Ann' };
const acme = { type: 'Organization', login: 'acme', name: 'Acme' };

test('a change of one branch of a union converts values of that branch alone, up and down', () => {
  const Owner = Type.Union([User, Organization]);
  for (const schema of [Owner, Type.Union([Organization, Nullable(User)])]) {
    const { downgrade, upgrade } = schemaInVersion(Type.Array(schema), '2025-01-01', users);
    assert.deepEqual(downgrade?.([ann, acme, null]), [oldAnn, acme, null]);
    assert.deepEqual(upgrade?.([oldAnn, acme, null]), [ann, acme, null]);
  }
  const Team = Type.Object({ owner: Owner, lead: Type.Optional(Owner) });
  const { downgrade, schema } = schemaInVersion(Team, '2025-01-01', users);
  assert.deepEqual(downgrade?.({ owner: acme, lead: ann }), { owner: acme, lead: oldAnn });
  assert.deepEqual(downgrade?.({ owner: ann }), { owner: oldAnn });
  assert.deepEqual((schema as typeof Team).properties.owner.anyOf, [OldUser, Organization]);
});

test('a value that is converted as one branch is not converted as another besides', () => {
  const OldOrganization = Type.Object(
    { type: Type.Literal('Organization'), login: Type.String(), title: Type.String() },
    { $id: 'organization' },
  );
  const both = change({
    version: '2026-01-01',
    title: 'title became name',
    advice: 'Use the new name.',
    schema: Organization,
    before: OldOrganization,
    down: ({ name, ...rest }) => ({ ...rest, title: name }),
  });
  const { downgrade } = schemaInVersion(Type.Union([User, Organization]), '2025-01-01', {
    ...users,
    changes: [userRenamed, both],
  });
  assert.deepEqual(downgrade?.(ann), oldAnn);
  assert.deepEqual(downgrade?.(acme), { type: 'Organization', login: 'acme', title: 'Acme' });
});

test('branches are distinguished by constants, by types, and by properties that only one requires', () => {
  const object = (properties: Record<string, TSchema>, $id = 'other') => Type.Object(properties, { $id });
  const Thing = object({ kind: OneOf(['a', 'b']), n: Type.Integer(), p: Type.String() }, 'thing');
  const things = {
    names: ['2025-01-01', '2026-01-01'],
    changes: [
      change({
        version: '2026-01-01',
        title: 'old became new',
        advice: 'Use the new name.',
        schema: Thing,
        before: Type.Object(Thing.properties, { $id: 'thing' }),
        down: () => ({ converted: true }),
      }),
    ],
  };
  const thing = { kind: 'a', n: 1, p: 'x' };
  const pairs: [other: TSchema, value: unknown][] = [
    [Type.String(), 'text'],
    [Type.Array(Type.String()), ['a']],
    [object({ kind: OneOf(['c', 'd']) }), { kind: 'c' }],
    [object({ kind: Type.Literal('c'), n: Type.Number() }), { kind: 'c', n: 1 }],
    [object({ n: Type.String(), kind: Type.String() }), { n: '1', kind: 'a' }],
    [object({ n: Type.Null(), kind: Type.String(), p: Type.String() }), { n: null, kind: 'a', p: 'x' }],
    [object({ n: Type.Number() }), { n: 1 }],
    [object({ n: Type.Number() }), { n: 1, p: 'a stray field' }],
    [object({ ...Thing.properties, more: Type.Boolean() }), { ...thing, more: false }],
    [
      Type.Intersect([object({ x: Type.String() }), object({ kind: Type.Literal('c') })]),
      { x: '', kind: 'c' },
    ],
    [Type.Union([object({ kind: Type.Literal('c') }), Type.Null()], { $id: 'some' }), { kind: 'c' }],
  ];
  for (const [other, value] of pairs) {
    for (const branches of [
      [Thing, other],
      [other, Thing],
    ]) {
      const { downgrade } = schemaInVersion(Type.Union(branches), '2025-01-01', things);
      assert.deepEqual(downgrade?.(thing), { converted: true }, JSON.stringify(other));
      assert.deepEqual(downgrade?.(value), value, JSON.stringify(other));
    }
  }
});

test('branches that cannot be distinguished are an error at start if a change is about one of them', () => {
  const alike = (properties: Record<string, TSchema>) => Type.Object(properties, { $id: 'bot' });
  const { type: _type, ...untyped } = User.properties;
  for (const other of [
    alike({ ...User.properties }),
    alike({ type: Type.String(), login: Type.String(), name: Type.String() }),
    alike({ ...untyped, type: Type.Optional(Type.Literal('User')) }),
    Type.Record(Type.String(), Type.String(), { $id: 'bot' }),
    Type.Unknown({ $id: 'bot' }),
  ]) {
    const route = shape({ id: 'owner/get', reply: { 200: Type.Union([User, other]) }, body: User });
    assert.throws(
      () => checkVersions([route], users),
      /The route owner\/get has no older versions: the change "fullName became name" needs to tell "user" from "bot"/,
    );
    assert.doesNotThrow(() => checkVersions([{ ...route, since: '2026-01-01' }], users));
  }
  const unchanged = Type.Object({
    owner: Type.Union([Organization, alike(Organization.properties)]),
    user: User,
  });
  const good = shape({ reply: { 200: unchanged }, body: User });
  assert.doesNotThrow(() => checkVersions([good], users));
});

test('branches that only their old shapes make alike are an error at start, too', () => {
  const Old = Type.Object({ login: Type.String() }, { $id: 'user' });
  const typed = change({
    version: '2026-01-01',
    title: 'the type was added',
    advice: 'Use the new name.',
    schema: User,
    before: Old,
    up: ({ login }) => ({ type: 'User' as const, login, name: login }),
  });
  const Bot = Type.Object({ type: Type.Optional(Type.Literal('Bot')), login: Type.String() }, { $id: 'bot' });
  const route = shape({ id: 'owner/put', body: Type.Union([User, Bot]) });
  assert.throws(
    () => checkVersions([route], { ...users, changes: [typed] }),
    /owner\/put .*"user" from "bot"/,
  );
});

test('downgrading does not change the value it is given', () => {
  const { downgrade } = schemaInVersion(Type.Array(Repo), '2024-01-01', table);
  const value = Object.freeze([Object.freeze({ name: 'n', title: 'PR' })]);
  downgrade?.(value);
  assert.deepEqual(value, [{ name: 'n', title: 'PR' }]);
});

test('a schema that no change is about keeps its identity in every version', () => {
  const Plain = Type.Object({ a: Type.String() });
  assert.equal(schemaInVersion(Plain, '2024-01-01', table).schema, Plain);
});

test('a change that matches no reply is an error at start', () => {
  const { up: _up, ...downOnly } = titled;
  const plain = shape({ reply: { 200: Type.Object({}) } });
  assert.throws(() => checkVersions([plain], { ...table, changes: [downOnly] }), /matches no reply/);
});

test('a change with `up` that matches no request body is an error at start', () => {
  const replies = shape({ reply: { 200: Repo } });
  assert.throws(() => checkVersions([replies], table), /matches no request body/);
});

test('a change or a route that names an unknown version is an error at start', () => {
  const both = shape({ reply: { 200: Repo }, body: Repo });
  assert.doesNotThrow(() => checkVersions([both], table));
  assert.throws(
    () => checkVersions([both], { names: ['2024-01-01'], changes: [titled] }),
    /unknown version 2026-01-01/,
  );
  assert.throws(() => checkVersions([{ ...both, until: '1999-01-01' }], table), /unknown version 1999-01-01/);
});

test('a change needs two schemas of the same name', () => {
  assert.throws(
    () => change({ version: '2026-01-01', title: 'x', advice: 'y', schema: Repo, before: Type.Object({}) }),
    /same \$id/,
  );
});

test('a route exists from `since` on and up to, but not in, `until`', () => {
  const short = shape({ since: '2025-01-01', until: '2026-01-01' });
  assert.deepEqual(
    table.names.map((name) => existsIn(short, name)),
    [false, true, false],
  );
});

test('the changes ahead of a route are those its schemas mention', () => {
  assert.deepEqual(changesAhead(shape({ list: Repo }), '2025-01-01', table), [titled]);
  assert.deepEqual(changesAhead(shape({ reply: { 204: null } }), '2024-01-01', table), []);
});

test('a version is promised for 24 calendar months after its successor, announced or released', () => {
  assert.equal(supportedUntil(table, '2024-01-01'), Date.UTC(2027, 0, 1));
  assert.equal(supportedUntil(table, '2026-01-01'), undefined);
  assert.equal(supportedUntil({ ...table, announced: ['2027-02-01'] }, '2026-01-01'), Date.UTC(2029, 1, 1));
});

test('a version that a release ends before its time is found', () => {
  const ending = { ...table, ended: ['2024-01-01'], names: ['2025-01-01', '2026-01-01'] };
  assert.deepEqual(endedTooEarly(ending, Date.UTC(2026, 11, 31)), ['2024-01-01']);
  assert.deepEqual(endedTooEarly(ending, Date.UTC(2027, 0, 1)), []);
  assert.deepEqual(endedTooEarly(table, 0), []);
});

test('without a choice a call gets the oldest version that answers, or the one that the table names', () => {
  assert.equal(selectVersion(table, undefined), '2024-01-01');
  assert.equal(selectVersion({ ...table, names: table.names.slice(1) }, undefined), '2025-01-01');
  assert.equal(selectVersion({ ...table, default: '2026-01-01' }, undefined), '2026-01-01');
});

test('an unknown or announced version is malformed, an ended one is retired, and all errors list the versions', () => {
  const turned = {
    changes: [],
    ended: ['2023-01-01'],
    names: ['2024-01-01', '2025-01-01'],
    announced: ['2026-01-01'],
  };
  const message = /Supported versions: 2024-01-01, 2025-01-01 \(most recent\)/;
  assert.throws(() => selectVersion(turned, '2020-01-01'), { kind: 'malformed', message });
  assert.throws(() => selectVersion(turned, '2026-01-01'), { kind: 'malformed', message });
  assert.throws(() => selectVersion(turned, '2026-01-01'), { message: /announced, and not released/ });
  assert.throws(() => selectVersion(turned, '2023-01-01'), { kind: 'retired', message });
});

test('versions out of order are an error at start', () => {
  const bad = { ...table, announced: ['2025-06-01'] };
  assert.throws(() => checkVersions([], { ...bad, changes: [] }), /2025-06-01 is not newer/);
});

const withMaster = change({
  version: '2026-01-01',
  title: 'master removed',
  advice: 'Use the new name.',
  only: 'beta',
  schema: OldRepo,
  before: Type.Object({ ...OldRepo.properties, master: Type.String() }, { $id: 'repo' }),
  down: (repo) => ({ ...repo, master: 'main' }),
});
const withVariant = { ...table, changes: [titled, withMaster] };

test('a change for a variant is undone only for calls of older versions that ask for it, at any depth', () => {
  const Issue = Type.Object({ repo: Repo, forks: Type.Array(Repo) });
  const newest = { repo: { name: 'n', title: 'PR' }, forks: [{ name: 'f', title: '' }] };
  const inVersion = (version: string, variant?: string) =>
    schemaInVersion(Issue, version, withVariant, variant).downgrade?.(newest) ?? newest;
  const old = { repo: { name: 'n', useTitle: true }, forks: [{ name: 'f', useTitle: false }] };
  assert.deepEqual(inVersion('2025-01-01'), old);
  assert.deepEqual(inVersion('2025-01-01', 'other'), old);
  assert.deepEqual(inVersion('2025-01-01', 'beta'), {
    repo: { name: 'n', useTitle: true, master: 'main' },
    forks: [{ name: 'f', useTitle: false, master: 'main' }],
  });
  assert.equal(inVersion('2026-01-01', 'beta'), newest);
});

test('only callers who ask for a variant have its changes ahead of them', () => {
  const route = shape({ reply: { 200: Repo } });
  const titles = (variant?: string) =>
    changesAhead(route, '2025-01-01', withVariant, variant).map(({ title }) => title);
  assert.deepEqual(titles(), ['useTitle became title']);
  assert.deepEqual(titles('beta'), ['useTitle became title', 'master removed']);
  checkVersions([shape({ reply: { 200: Repo }, body: Repo })], withVariant);
});

const deleted = operationChange({
  version: '2026-01-01',
  title: 'repositories are deleted in the background',
  advice: 'Expect 202.',
  operations: ['repo/delete'],
  status: { now: 202, before: 204 },
});
const retyped = operationChange({
  version: '2026-01-01',
  title: 'the type of reports has a new name',
  advice: 'Expect report+json.',
  operations: ['report/get'],
  contentType: { now: 'application/report+json', before: 'application/json+report' },
});
const operating = { ...table, changes: [], operationChanges: [deleted, retyped] };
const deletion = shape({ id: 'repo/delete', method: 'DELETE', reply: { 202: Type.Object({}) } });
const report = shape({ id: 'report/get', reply: { 200: Type.Object({}) } });

test('a change of an operation is ahead of callers of older versions, on that operation and its aliases alone', () => {
  assert.deepEqual(changesAhead(deletion, '2025-01-01', operating), [deleted]);
  assert.deepEqual(changesAhead(deletion, '2025-01-01', operating, 'beta'), [deleted]);
  assert.deepEqual(changesAhead({ ...deletion, id: 'x', aliasOf: 'repo/delete' }, '2024-01-01', operating), [
    deleted,
  ]);
  assert.deepEqual(changesAhead(deletion, '2026-01-01', operating), []);
  assert.deepEqual(changesAhead(shape({}), '2024-01-01', operating), []);
});

test('the head of a reply is that of the version: the status, and the type with its parameters', () => {
  const typed = { status: 202, headers: { 'content-type': 'application/json', etag: '"a"' } };
  assert.equal(headInVersion(deletion, '2026-01-01', operating, undefined), undefined);
  assert.deepEqual(headInVersion(deletion, '2025-01-01', operating, undefined)?.(typed), {
    status: 204,
    headers: { etag: '"a"' },
  });
  const downgrade = headInVersion(report, '2025-01-01', operating, 'application/report+json');
  const headers = { 'content-type': 'application/report+json; charset=utf-8' };
  assert.deepEqual(downgrade?.({ status: 200, headers }), {
    status: 200,
    headers: { 'content-type': 'application/json+report; charset=utf-8' },
  });
  assert.deepEqual(downgrade?.({ status: 200, headers: {} }).headers, {
    'content-type': 'application/json+report',
  });
  assert.deepEqual(downgrade?.({ status: 200, headers: { 'content-type': 'text/plain' } }).headers, {
    'content-type': 'text/plain',
  });
});

test('a head is downgraded through every change after its version, newest first', () => {
  const older = operationChange({ ...deleted, version: '2025-01-01', status: { now: 204, before: 200 } });
  const both = { ...operating, operationChanges: [older, deleted] };
  const statuses = table.names.map(
    (name) => headInVersion(deletion, name, both, undefined)?.({ status: 202, headers: {} }).status ?? 202,
  );
  assert.deepEqual(statuses, [200, 204, 202]);
});

test('a change of operations that do not exist, or of a status that they never have, is an error at start', () => {
  assert.doesNotThrow(() => checkVersions([deletion, report], operating));
  assert.throws(() => checkVersions([deletion], operating), /names the unknown operation report\/get/);
  const wrong = { ...operating, operationChanges: [{ ...deleted, status: { now: 200, before: 204 } }] };
  assert.throws(() => checkVersions([deletion], wrong), /the status 200, which repo\/delete never has/);
  const late = { ...operating, operationChanges: [{ ...deleted, version: '2027-01-01' }] };
  assert.throws(() => checkVersions([deletion], late), /unknown version 2027-01-01/);
  assert.throws(() => operationChange({ ...deleted, status: undefined } as never), /changes nothing/);
});

test('every change says what callers do instead', () => {
  const silent = { ...operating, operationChanges: [{ ...deleted, advice: ' ' }] };
  assert.throws(() => checkVersions([deletion], silent), /does not say what callers do instead/);
});

test('the fields of a change are those that the resource has in one shape alone, or has otherwise', () => {
  assert.deepEqual(changedFieldsOf(titled), [
    { name: 'useTitle', kind: 'removed' },
    { name: 'title', kind: 'added' },
  ]);
  const Entry = Type.Object({ type: OneOf(['a', 'b']), note: Type.String(), repo: Repo }, { $id: 'entry' });
  const { type: _type, ...others } = Entry.properties;
  const before = Type.Object(
    { ...others, type: OneOf(['a']), note: Type.Optional(Type.String()) },
    { $id: 'entry' },
  );
  const typed = change({ ...titled, schema: Entry, before } as unknown as Parameters<typeof change>[0]);
  assert.deepEqual(changedFieldsOf(typed), [
    { name: 'note', kind: 'changed' },
    { name: 'type', kind: 'changed' },
  ]);
  assert.deepEqual(changedFieldsOf(deleted), []);
});

test('the operations of a change are those whose requests or replies have the resource at any depth', () => {
  const shapes = [
    shape({ id: 'list', list: Type.Object({ repo: Repo }) }),
    shape({ id: 'put', body: Repo, reply: { 200: Repo } }),
    shape({ id: 'post', body: Type.Array(Repo), reply: { 204: null } }),
    shape({ id: 'new', since: '2026-01-01', reply: { 200: Repo } }),
    shape({ id: 'gone', until: '2026-01-01', reply: { 200: Repo } }),
    shape({ id: 'other', reply: { 200: User } }),
    deletion,
  ];
  const routes = shapes.map((one) => ({ shape: one, handle: () => undefined }));
  const found = (step: Parameters<typeof affectedOperations>[0]) =>
    affectedOperations(step, { routes }).map((one) => [one.shape.id, one.in]);
  assert.deepEqual(found(titled), [
    ['list', 'reply'],
    ['put', 'both'],
    ['post', 'request'],
  ]);
  assert.deepEqual(found(deleted), [['repo/delete', 'reply']]);
});
