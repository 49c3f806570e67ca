// Versions: what climbs, what descends, and what is refused at start.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Shape } from './route.ts';
import { Nullable, Type } from './schema.ts';
import { endedTooEarly, selectVersion, supportedUntil } from './version-support.ts';
import { change, changesAhead, checkVersions, editionOf, existsIn } from './version.ts';

const Repo = Type.Object({ name: Type.String(), title: Type.String() }, { $id: 'repo' });
const OldRepo = Type.Object({ name: Type.String(), useTitle: Type.Boolean() }, { $id: 'repo' });
const OldestRepo = Type.Object({ fullName: Type.String(), useTitle: Type.Boolean() }, { $id: 'repo' });

const titled = change({
  version: '2026-01-01',
  title: 'useTitle became title',
  schema: Repo,
  before: OldRepo,
  down: ({ name, title }) => ({ name, useTitle: title === 'PR' }),
  up: ({ name, useTitle }) => ({ name, title: useTitle ? 'PR' : 'COMMIT' }),
});
const renamed = change({
  version: '2025-01-01',
  title: 'fullName became name',
  schema: OldRepo,
  before: OldestRepo,
  down: ({ name, useTitle }) => ({ fullName: name, useTitle }),
  up: ({ fullName, useTitle }) => ({ name: fullName, useTitle }),
});
const table = { names: ['2024-01-01', '2025-01-01', '2026-01-01'], changes: [titled, renamed] };
const shape = (parts: Partial<Shape>): Shape => ({
  id: 'repo/get',
  method: 'GET',
  path: '/repo',
  summary: '',
  access: 'anyone',
  ...parts,
});

test('a reply descends through every change after its version, newest first', () => {
  const { descend } = editionOf(Repo, '2024-01-01', table);
  assert.deepEqual(descend?.({ name: 'a/b', title: 'PR' }), { fullName: 'a/b', useTitle: true });
});

test('a reply in the newest version is left as it is, without any conversion', () => {
  const edition = editionOf(Repo, '2026-01-01', table);
  assert.equal(edition.descend, undefined);
  assert.equal(edition.climb, undefined);
  assert.equal(edition.schema, Repo);
});

test('a request climbs through every change after its version, oldest first', () => {
  const { climb, schema } = editionOf(Repo, '2024-01-01', table);
  assert.equal(schema, OldestRepo);
  assert.deepEqual(climb?.({ fullName: 'a/b', useTitle: false }), { name: 'a/b', title: 'COMMIT' });
});

test('a change reaches its resource in arrays, maps, nullable members and nested objects', () => {
  const Issue = Type.Object({
    repo: Repo,
    parent: Nullable(Repo),
    forks: Type.Array(Repo),
    byName: Type.Record(Type.String(), Repo),
    other: Type.String(),
  });
  const { descend, schema } = editionOf(Issue, '2025-01-01', table);
  const newest = { name: 'n', title: 'PR' };
  const old = { name: 'n', useTitle: true };
  assert.deepEqual(
    descend?.({ repo: newest, parent: null, forks: [newest, newest], byName: { n: newest }, other: 'x' }),
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
    schema: Owner,
    before: OldOwner,
    down: ({ repo, name }) => ({ repo, login: name }),
  });
  const { schema, descend } = editionOf(Owner, '2024-01-01', { ...table, changes: [titled, owner] });
  assert.deepEqual((schema as typeof OldOwner).properties.repo, OldRepo);
  assert.deepEqual(descend?.({ repo: { name: 'n', title: 'PR' }, name: 'ann' }), {
    repo: { name: 'n', useTitle: true },
    login: 'ann',
  });
});

test('descending does not change the value it is given', () => {
  const { descend } = editionOf(Type.Array(Repo), '2024-01-01', table);
  const value = Object.freeze([Object.freeze({ name: 'n', title: 'PR' })]);
  descend?.(value);
  assert.deepEqual(value, [{ name: 'n', title: 'PR' }]);
});

test('a schema that no change is about keeps its identity in every version', () => {
  const Plain = Type.Object({ a: Type.String() });
  assert.equal(editionOf(Plain, '2024-01-01', table).schema, Plain);
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
    () => change({ version: '2026-01-01', title: 'x', schema: Repo, before: Type.Object({}) }),
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

test('an unknown or announced version is malformed, an ended one is gone, and all name what there is', () => {
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
  assert.throws(() => selectVersion(turned, '2023-01-01'), { kind: 'gone', message });
});

test('versions out of order are an error at start', () => {
  const bad = { ...table, announced: ['2025-06-01'] };
  assert.throws(() => checkVersions([], { ...bad, changes: [] }), /2025-06-01 is not newer/);
});
