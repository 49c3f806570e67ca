// The targeting editor's patch, against a real server: what it makes of a flag is the draft.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { moveVariations } from '../../console/flags/targeting/move-variations.ts';
import {
  duplicateRule,
  newClause,
  newId,
  newRule,
  targetingOf,
  type Clause,
  type Rule,
  type Serve,
  type Target,
  type Targeting,
  type TargetingConfig,
} from '../../console/flags/targeting/targeting.ts';
import { toInstructions } from '../../console/flags/targeting/to-instructions.ts';
import { startServer, type TestServer } from '../server.ts';

const SEMANTIC = { 'content-type': 'application/json; domain-model=launchdarkly.semanticpatch' };
const FLAG = '/api/v2/flags/default/edited';
const NEEDED = ['needed-a', 'needed-b'];
const VARIATIONS = 4;

describe('the patch of the targeting editor', () => {
  let server: TestServer;
  let ids: string[];
  /** Of the flags that can be needed. */
  const neededIds = new Map<string, string[]>();

  before(async () => {
    server = await startServer({ limits: 'off' });
    const create = async (key: string) => {
      const variations = Array.from({ length: VARIATIONS }, (_, value) => ({ value }));
      const made = await server.call('/api/v2/flags/default', {
        method: 'POST',
        body: { key, name: key, variations },
      });
      assert.equal(made.status, 201, made.text);
      return (made.json['variations'] as { _id: string }[]).map(({ _id }) => _id);
    };
    ids = await create('edited');
    for (const key of NEEDED) neededIds.set(key, await create(key));
  });
  after(() => server.stop());

  const read = async () => {
    const { json } = await server.call(`${FLAG}?env=test`);
    return targetingOf((json['environments'] as Record<string, TargetingConfig>)['test']!);
  };

  /** Saves the draft, and returns what is there then. */
  async function save(saved: Targeting, draft: Targeting): Promise<Targeting> {
    const instructions = toInstructions(saved, draft, ids);
    if (instructions.length === 0) return saved;
    const patched = await server.call(FLAG, {
      method: 'PATCH',
      headers: SEMANTIC,
      body: { environmentKey: 'test', instructions },
    });
    assert.equal(patched.status, 200, `${patched.text}\n${JSON.stringify(instructions, undefined, 1)}`);
    return await read();
  }

  const clause = (attribute: string, ...values: string[]): Clause => ({ ...newClause(), attribute, values });
  const rule = (attribute: string, serve: Serve = { variation: 1 }): Rule => ({
    _id: newId(),
    clauses: [clause(attribute, 'x')],
    trackEvents: false,
    ...serve,
  });
  const attributes = ({ rules }: Targeting) =>
    rules.map(({ clauses }) => clauses.map(({ attribute }) => attribute).join('+')).join(' ');

  test('nothing comes of a draft that changes nothing', async () => {
    const saved = await read();
    assert.deepEqual(toInstructions(saved, structuredClone(saved), ids), []);
  });

  test('new rules stand where they were put, and known ones keep their ids', async () => {
    const first = await save(await read(), { ...(await read()), rules: [rule('a'), rule('b'), rule('c')] });
    assert.equal(attributes(first), 'a b c');
    const [a, b, c] = first.rules as [Rule, Rule, Rule];
    const second = await save(first, {
      ...first,
      rules: [rule('n1'), c, rule('n2'), rule('n3'), a, rule('n4')],
    });
    assert.equal(attributes(second), 'n1 c n2 n3 a n4');
    assert.equal(second.rules[1]!._id, c._id);
    assert.equal(second.rules[4]!._id, a._id);
    assert.ok(!second.rules.some(({ _id }) => _id === b._id));
    const third = await save(second, { ...second, rules: [duplicateRule(a), ...second.rules.toReversed()] });
    assert.equal(attributes(third), 'a n4 a n3 n2 c n1');
  });

  test('all clauses of a rule can be exchanged, and it never matches everybody in between', async () => {
    const saved = await save(await read(), { ...(await read()), rules: [rule('a')] });
    const [one] = saved.rules as [Rule];
    const draft = { ...saved, rules: [{ ...one, clauses: [clause('x', '1'), clause('y', '2')] }] };
    const exchanged = await save(saved, draft);
    assert.equal(attributes(exchanged), 'x+y');
    assert.equal(exchanged.rules[0]!._id, one._id);
    const [kept] = exchanged.rules as [Rule];
    const less = { ...exchanged, rules: [{ ...kept, clauses: [kept.clauses[1]!, clause('z', '3')] }] };
    assert.equal(attributes(await save(exchanged, less)), 'y+z');
  });

  test('a key moves from one variation to another, and lists keep their order', async () => {
    const start = await read();
    const lists: Target[] = [
      { variation: 0, contextKind: 'user', values: ['ada', 'bob'] },
      { variation: 1, contextKind: 'company', values: ['acme'] },
      { variation: 2, contextKind: 'user', values: ['cleo'] },
    ];
    const saved = await save(start, { ...start, targets: lists });
    assert.deepEqual(saved.targets, lists);
    const moved = [{ ...lists[0]!, values: ['cleo'] }, lists[1]!, { ...lists[2]!, values: ['bob', 'dora'] }];
    assert.deepEqual((await save(saved, { ...saved, targets: moved })).targets, moved);
  });

  test('two hundred random drafts are saved as they are', async () => {
    const random = new Random(7);
    let saved = await read();
    for (let round = 0; round < 200; round++) {
      const draft = Array.from({ length: random.below(4) + 1 }).reduce<Targeting>(
        (present) => mutate(present, random, neededIds),
        saved,
      );
      const reached = await save(saved, draft);
      const known = new Set(saved.rules.map(({ _id }) => _id));
      assert.deepEqual(comparable(reached, known), comparable(draft, known), `round ${round}`);
      saved = reached;
    }
  });
});

test('a draft follows its variations when another one was removed, and is given up with its own', () => {
  const draft: Targeting = {
    prerequisites: [],
    targets: [{ contextKind: 'user', variation: 2, values: ['ada'] }],
    rules: [{ ...newRule({ fallthrough: { variation: 2 } } as Targeting), variation: 2 }],
    fallthrough: {
      rollout: {
        variations: [
          { variation: 0, weight: 40_000 },
          { variation: 1, weight: 0 },
          { variation: 2, weight: 60_000 },
        ],
      },
    },
    offVariation: 0,
    trackEvents: false,
    trackEventsFallthrough: false,
  };
  const moved = moveVariations(draft, ['a', 'b', 'c'], ['a', 'c'])!;
  assert.deepEqual([moved.targets[0]!.variation, moved.rules[0]!.variation, moved.offVariation], [1, 1, 0]);
  assert.deepEqual(
    moved.fallthrough.rollout!.variations.map(({ variation }) => variation),
    [0, 1],
  );
  assert.equal(moveVariations(draft, ['a', 'b', 'c'], ['b', 'c']), undefined);
  assert.equal(moveVariations(draft, ['a', 'b', 'c'], ['a', 'b', 'c', 'd']), draft);
});

/** Without what the server chooses: the ids of new rules and of clauses. */
function comparable({ prerequisites, targets, rules, fallthrough, ...rest }: Targeting, known: Set<string>) {
  return {
    ...rest,
    // All of them must be met: their order decides nothing.
    prerequisites: prerequisites.map(({ key, variation }) => `${key} ${variation}`).toSorted(),
    targets: targets.filter(({ values }) => values.length > 0),
    rules: rules.map(({ _id, clauses, description = '', ...rule }) => ({
      ...rule,
      description,
      _id: known.has(_id) ? _id : 'new',
      clauses: clauses.map(({ _id: __, ...clause }) => clause),
    })),
    fallthrough,
  };
}

class Random {
  #state: number;
  constructor(seed: number) {
    this.#state = seed;
  }
  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((this.#state / 0x80000000) * limit);
  }
  of<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }
}

function randomServe(random: Random): Serve {
  if (random.below(2) === 0) return { variation: random.below(VARIATIONS) };
  const first = random.below(100_001);
  return {
    rollout: {
      variations: [
        { variation: 0, weight: first },
        { variation: 2, weight: 100_000 - first },
      ],
      contextKind: random.of(['user', 'company']),
      ...(random.below(2) === 0 && { bucketBy: 'email' }),
    },
  };
}

function randomClause(random: Random): Clause {
  return {
    ...newClause(random.of(['in', 'contains', 'startsWith'])),
    attribute: random.of(['country', 'plan', 'email']),
    values: [...new Set([random.of(['a', 'b', 'c']), random.of(['c', 'd'])])],
    contextKind: random.of(['user', 'company']),
    negate: random.below(2) === 0,
  };
}

function changeRule(rule: Rule, random: Random): Rule {
  const { variation: _, rollout: __, ...plain } = rule;
  const at = random.below(rule.clauses.length);
  const changes: (() => Rule)[] = [
    () => ({ ...plain, ...randomServe(random) }),
    () => ({ ...rule, clauses: [...rule.clauses, randomClause(random)] }),
    () => ({ ...rule, clauses: rule.clauses.with(at, { ...rule.clauses[at]!, values: ['z'] }) }),
    () => (rule.clauses.length > 1 ? { ...rule, clauses: rule.clauses.toSpliced(at, 1) } : rule),
    () => ({ ...rule, clauses: [randomClause(random), ...rule.clauses.slice(1)] }),
    () => ({ ...rule, clauses: rule.clauses.toReversed() }),
    () => ({ ...rule, trackEvents: !rule.trackEvents }),
    () => ({ ...rule, description: random.of(['Beta', 'Staff']) }),
  ];
  return random.of(changes)();
}

function mutate(present: Targeting, random: Random, needed: ReadonlyMap<string, string[]>): Targeting {
  const { rules, targets, prerequisites } = present;
  const at = random.below(rules.length);
  const fresh = () => ({ ...newRule(present), clauses: [randomClause(random)] });
  const key = random.of(['ada', 'bob', 'cleo', 'dora']);
  const place = { contextKind: random.of(['user', 'company']), variation: random.below(VARIATIONS) };
  const changes: (() => Targeting)[] = [
    () => ({ ...present, rules: rules.toSpliced(random.below(rules.length + 1), 0, fresh()) }),
    () => ({ ...present, rules: rules.toSpliced(at, 1) }),
    () => ({ ...present, rules: rules.toReversed() }),
    () =>
      rules.length === 0 ? present : { ...present, rules: rules.with(at, changeRule(rules[at]!, random)) },
    () => (rules.length === 0 ? present : { ...present, rules: [...rules, duplicateRule(rules[at]!)] }),
    () => ({ ...present, targets: withKey(targets, place, key) }),
    () => ({ ...present, targets: targets.slice(1) }),
    () => {
      const flag = random.of(NEEDED);
      const variation = random.below(VARIATIONS);
      const variationId = needed.get(flag)![variation]!;
      const index = prerequisites.findIndex((one) => one.key === flag);
      const one = { key: flag, variation, variationId };
      return {
        ...present,
        prerequisites: index < 0 ? [...prerequisites, one] : prerequisites.with(index, one),
      };
    },
    () => ({ ...present, prerequisites: prerequisites.slice(1) }),
    () => ({ ...present, fallthrough: randomServe(random) }),
    () => ({ ...present, offVariation: random.below(VARIATIONS) }),
    () => ({ ...present, trackEvents: !present.trackEvents }),
    () => ({ ...present, trackEventsFallthrough: !present.trackEventsFallthrough }),
  ];
  return random.of(changes)();
}

function withKey(targets: readonly Target[], place: Omit<Target, 'values'>, key: string): Target[] {
  const isPlace = (list: Target) =>
    list.variation === place.variation && list.contextKind === place.contextKind;
  const left = targets
    .map((list) =>
      list.contextKind === place.contextKind && !isPlace(list)
        ? { ...list, values: list.values.filter((one) => one !== key) }
        : list,
    )
    .filter(({ values }) => values.length > 0);
  if (!left.some(isPlace)) return [...left, { ...place, values: [key] }];
  return left.map((list) =>
    isPlace(list) ? { ...list, values: [...new Set([...list.values, key])] } : list,
  );
}
