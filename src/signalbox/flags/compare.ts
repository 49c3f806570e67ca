// Compares the configurations of flags in two environments, part by part, in words.
import { describeServe, describeVariation } from '../../flags/feature-flags/change/flag-words.ts';
import type { Clause, Flag, FlagConfig, Rule } from '../../flags/feature-flags/flag.ts';
import { listFlagsByKey, listWholeConfigs } from '../../flags/feature-flags/store-lists.ts';
import { areEqual } from '../../kernel/json/json-value.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { CopyPart, ShownDifferences } from './compare-model.ts';

interface CompareRequest {
  projectId: string;
  from: { id: string };
  to: { id: string };
  /** The key of the last flag of the page before. */
  after: string;
  limit: number;
}

/** A configuration may be large, so that few are read at once. */
const AT_ONCE = 20;
/** Where hardly any flag differs, a page ends before it is full. */
const MAX_COMPARED = 500;

/** Those of the flags that differ, by key; `next` is where the next page begins. */
export async function listDifferences(
  db: Db,
  { projectId, from, to, after, limit }: CompareRequest,
): Promise<{ items: ShownDifferences[]; next: string | undefined }> {
  const items: ShownDifferences[] = [];
  let last = after;
  for (let compared = 0; compared < MAX_COMPARED; compared += AT_ONCE) {
    const flags = await listFlagsByKey(db, projectId, last, AT_ONCE);
    const ids = flags.map(({ id }) => id);
    const configs = await listWholeConfigs(db, ids, [from.id, to.id]);
    for (const flag of flags) {
      last = flag.key;
      const [one, other] = [configs.get(flag.id)?.get(from.id), configs.get(flag.id)?.get(to.id)];
      const parts = one && other ? compareConfigs(flag, one, other) : [];
      if (parts.length === 0) continue;
      const { key, name, version, tags } = flag;
      items.push({ flag: key, name, version, tags, parts });
      if (items.length === limit) return { items, next: last };
    }
    if (flags.length < AT_ONCE) return { items, next: undefined };
  }
  return { items, next: last };
}

function compareConfigs(flag: Flag, from: FlagConfig, to: FlagConfig): ShownDifferences['parts'] {
  return Object.entries(PARTS)
    .filter(([, { of }]) => !areEqual(of(from), of(to)))
    .map(([part, { words }]) => ({
      part: part as CopyPart,
      from: words(from, flag),
      to: words(to, flag),
    }));
}

interface ComparedPart {
  /** What must be equal. */
  of(config: FlagConfig): unknown;
  words(config: FlagConfig, flag: Flag): string;
}

const PARTS: Readonly<Record<CopyPart, ComparedPart>> = {
  on: { of: ({ on }) => on, words: ({ on }) => (on ? 'on' : 'off') },
  prerequisites: {
    of: ({ prerequisites }) => prerequisites,
    words: ({ prerequisites }) => {
      const names = prerequisites.slice(0, 5).map(({ key }) => `\`${key}\``);
      if (names.length === 0) return 'none';
      return prerequisites.length > 5
        ? `${names.join(', ')} and ${prerequisites.length - 5} more`
        : names.join(', ');
    },
  },
  targets: {
    of: ({ targets, contextTargets }) => [targets, contextTargets],
    words: ({ targets, contextTargets }) =>
      count(
        [...targets, ...contextTargets].reduce((sum, { values }) => sum + values.length, 0),
        'target',
      ),
  },
  rules: {
    of: ({ rules }) => rules.map(withoutIds),
    words: ({ rules }) => count(rules.length, 'rule'),
  },
  fallthrough: {
    of: ({ fallthrough }) => fallthrough,
    words: ({ fallthrough }, flag) => describeServe(flag, fallthrough),
  },
  offVariation: {
    of: ({ offVariation }) => offVariation ?? null,
    words: ({ offVariation }, flag) => describeVariation(flag, offVariation),
  },
  migrationSettings: {
    of: ({ migrationSettings }) => migrationSettings ?? {},
    words: ({ migrationSettings }) =>
      migrationSettings?.checkRatio === undefined ? 'none' : `check ratio ${migrationSettings.checkRatio}`,
  },
};

/** Rules that were written twice have different ids, and say the same. */
function withoutIds({ _id, clauses, ...rule }: Rule) {
  return { ...rule, clauses: clauses.map(withoutId) };
}

function withoutId({ _id, ...clause }: Clause) {
  return clause;
}

function count(number: number, word: string): string {
  if (number === 0) return `no ${word}s`;
  return number === 1 ? `1 ${word}` : `${number} ${word}s`;
}
