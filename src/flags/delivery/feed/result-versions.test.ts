// Versions of results over random changes: exact, rising with each change of a result, and equal on nodes that skip revisions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readContext } from '../../evaluation/context.ts';
import type { FlagData, SegmentData } from '../../evaluation/data.ts';
import { compileEnvironment, withChanges, type CompiledEnvironment } from '../../evaluation/environment.ts';
import { newClause, newFlagData, newSegmentData } from '../../evaluation/fixture.ts';
import { RandomSource } from '../../evaluation/fixture-random.ts';
import { beginRun } from '../../evaluation/run.ts';
import type { DeliveryItem } from '../store-revisions.ts';
import { withResultVersions } from './result-versions.ts';

const FLAGS = ['f0', 'f1', 'f2', 'f3', 'f4', 'f5'];
const SEGMENTS = ['s0', 's1', 's2', 's3'];

/** The database: what there is, and at which revision each last changed. */
class TestItems {
  readonly flags = new Map<string, FlagData>();
  readonly segments = new Map<string, SegmentData>();
  readonly #rows = new Map<string, DeliveryItem>();
  readonly #random: RandomSource;
  revision = 0;

  constructor(random: RandomSource) {
    this.#random = random;
  }

  changeOne(): void {
    const random = this.#random;
    this.revision += 1;
    if (random.chance(0.05)) return this.#note('environment', '');
    const isGone = random.chance(0.2);
    const segments = random.list(2, () => random.pick(SEGMENTS));
    const clauses = [newClause({ attribute: '', op: 'segmentMatch', values: segments })];
    if (random.chance(0.6)) {
      const key = random.pick(FLAGS);
      const prerequisites = random.list(2, () => ({ key: random.pick(FLAGS), variation: random.below(2) }));
      const rules = [{ id: 'r', clauses, variation: random.below(3), trackEvents: false }];
      const on = random.chance(0.8);
      if (isGone) this.flags.delete(key);
      else this.flags.set(key, newFlagData({ key, prerequisites, rules, on }));
      return this.#note('flag', key);
    }
    const key = random.pick(SEGMENTS);
    const included = random.chance(0.4) ? ['u'] : [];
    if (isGone) this.segments.delete(key);
    else this.segments.set(key, newSegmentData({ key, included, rules: [{ id: 'r', clauses }] }));
    this.#note('segment', key);
  }

  #note(kind: DeliveryItem['kind'], key: string): void {
    this.#rows.set(`${kind} ${key}`, { kind, key, revision: this.revision });
  }

  since(revision: number): DeliveryItem[] {
    return [...this.#rows.values()]
      .filter((row) => row.revision > revision)
      .toSorted((one, other) => one.revision - other.revision);
  }

  /** By the definition: the highest revision of all that the flag can reach. */
  versionOf(key: string): number {
    const reached = new Set([`flag ${key}`]);
    for (const name of reached) {
      const [kind, own] = name.split(' ') as [string, string];
      const flag = kind === 'flag' ? this.flags.get(own) : undefined;
      const rules = (flag ?? (kind === 'segment' ? this.segments.get(own) : undefined))?.rules ?? [];
      for (const needed of flag?.prerequisites ?? []) reached.add(`flag ${needed.key}`);
      for (const { clauses } of rules)
        for (const { values } of clauses)
          for (const value of values) reached.add(`segment ${value as string}`);
    }
    const revisions = ['environment ', ...reached].map((name) => this.#rows.get(name)?.revision ?? 0);
    return Math.max(...revisions);
  }

  async load(): Promise<CompiledEnvironment> {
    const flags = [...this.flags.values()].toSorted((one, other) => (one.key < other.key ? -1 : 1));
    const compiled = await compileEnvironment(flags, [...this.segments.values()]);
    return withResultVersions(compiled, { items: this.since(0), revision: this.revision });
  }

  async advance(before: CompiledEnvironment, from: number, to = this.revision): Promise<CompiledEnvironment> {
    const items = this.since(from);
    const keysOf = (kind: string) => items.filter((item) => item.kind === kind).map(({ key }) => key);
    const isWhole = keysOf('environment').length > 0;
    const flagKeys = isWhole ? FLAGS : keysOf('flag');
    const segmentKeys = isWhole ? SEGMENTS : keysOf('segment');
    const compiled = await withChanges(before, {
      flags: flagKeys.flatMap((key) => this.flags.get(key) ?? []),
      removedFlags: flagKeys.filter((key) => !this.flags.has(key)),
      segments: segmentKeys.flatMap((key) => this.segments.get(key) ?? []),
      removedSegments: segmentKeys.filter((key) => !this.segments.has(key)),
    });
    return withResultVersions(compiled, { items, revision: to, before });
  }
}

const versionsIn = ({ flags }: CompiledEnvironment) =>
  Object.fromEntries(Array.from(flags, ([key, { resultVersion }]) => [key, resultVersion]));

function resultsIn(environment: CompiledEnvironment): Map<string, string> {
  const context = readContext({ kind: 'user', key: 'u' });
  const run = beginRun(context, { ...environment, bigSegmentInclusion: () => undefined });
  return new Map(
    Array.from(environment.flags, ([key, flag]) => [key, JSON.stringify(flag.evaluate(run))] as const),
  );
}

test('each flag has the highest revision of all that it depends on, after any change, skip and restart', async () => {
  const random = new RandomSource(1);
  for (let round = 0; round < 20; round += 1) {
    const items = new TestItems(random);
    let node = await items.load();
    let skipping = { environment: node, revision: 0 };
    for (let turn = 0; turn < 40; turn += 1) {
      items.changeOne();
      const expected = Object.fromEntries([...node.flags.keys()].map((key) => [key, items.versionOf(key)]));
      const before = { results: resultsIn(node), versions: versionsIn(node) };
      node = await items.advance(node, items.revision - 1);
      for (const key of items.flags.keys()) expected[key] = items.versionOf(key);
      for (const key of before.results.keys()) if (!items.flags.has(key)) delete expected[key];
      assert.deepEqual(versionsIn(node), expected);
      for (const [key, result] of resultsIn(node)) {
        const last = before.versions[key] ?? 0;
        const version = versionsIn(node)[key]!;
        assert.ok(result === before.results.get(key) ? version >= last : version > last, key);
      }
      if (random.chance(0.3)) {
        const { environment, revision } = skipping;
        skipping = { environment: await items.advance(environment, revision), revision: items.revision };
        assert.deepEqual(versionsIn(skipping.environment), expected);
      }
    }
    assert.deepEqual(versionsIn(await items.load()), versionsIn(node));
  }
});

test('a result that is newer than the revision gets a higher version with the next one', async () => {
  const random = new RandomSource(2);
  for (let round = 0; round < 200; round += 1) {
    const items = new TestItems(random);
    const steps = 3 + random.below(10);
    let node = await items.load();
    // Changes are committed between the reading of the revision and that of the items.
    let known = 0;
    for (let turn = 0; turn < steps; turn += 1) {
      items.changeOne();
      const to = items.revision;
      for (let late = random.below(3); late > 0; late -= 1) items.changeOne();
      const before = { results: resultsIn(node), versions: versionsIn(node) };
      node = await items.advance(node, known, to);
      for (const [key, result] of resultsIn(node)) {
        const version = versionsIn(node)[key]!;
        assert.ok(version <= to);
        if (result !== before.results.get(key)) assert.ok(version > known, key);
        else assert.ok(version >= before.versions[key]!);
      }
      known = to;
    }
  }
});

test('a state in use stays as it is', async () => {
  const flags = [
    newFlagData({ key: 'a', prerequisites: [{ key: 'b', variation: 0 }] }),
    newFlagData({ key: 'b' }),
  ];
  const item = (revision: number): DeliveryItem => ({ kind: 'flag', key: 'b', revision });
  const before = withResultVersions(await compileEnvironment(flags, []), { items: [item(1)], revision: 1 });
  const changed = await withChanges(before, { flags: [newFlagData({ key: 'b', on: false })] });
  const after = withResultVersions(changed, { items: [item(2)], revision: 2, before });
  assert.deepEqual(versionsIn(before), { a: 1, b: 1 });
  assert.deepEqual(versionsIn(after), { a: 2, b: 2 });
});
