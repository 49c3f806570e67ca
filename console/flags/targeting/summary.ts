// The changes of a draft in a few words each, for the bar below the page.
import type { Variation } from '../flag.ts';
import type { ChangeDetail } from '../save/planned-change.ts';
import { ruleSentence, serveWords, variationName } from './clause-words.ts';
import type { Rule, Serve, Targeting } from './targeting.ts';
import { TARGETING_WORDS as WORDS } from './targeting-words.ts';

/** More are not read; the JSON has them. */
const MAX_DETAILS = 50;

export interface ChangeWords {
  /** What it is about: "Rule 2". */
  part: string;
  /** What happens to it, or what it was. */
  from?: string;
  to: string;
}

export function summarize(
  before: Targeting,
  after: Targeting,
  variations: readonly Variation[],
): ChangeWords[] {
  return [
    ...ofKeyed(before.prerequisites, after.prerequisites),
    ...(isSame(
      before.targets,
      after.targets.filter(({ values }) => values.length > 0),
    )
      ? []
      : [{ part: WORDS.targets, to: WORDS.changed }]),
    ...ofRules(before.rules, after.rules, variations),
    ...(isSame(before.fallthrough, after.fallthrough)
      ? []
      : [{ part: WORDS.defaultRule, ...fromTo(before.fallthrough, after.fallthrough, variations) }]),
    ...(before.offVariation === after.offVariation
      ? []
      : [
          {
            part: WORDS.off,
            from: variationName(variations, before.offVariation),
            to: variationName(variations, after.offVariation),
          },
        ]),
    ...(before.trackEvents === after.trackEvents &&
    before.trackEventsFallthrough === after.trackEventsFallthrough
      ? []
      : [{ part: WORDS.trackEvents, to: WORDS.changed }]),
  ];
}

/** The same as whole sentences, for the save dialog. */
export function detail(
  before: Targeting,
  after: Targeting,
  variations: readonly Variation[],
): ChangeDetail[] {
  const old = new Map(before.rules.map((rule) => [rule._id, rule]));
  const now = new Set(after.rules.map(({ _id }) => _id));
  const words = (rule: Rule) => `${ruleSentence(rule)} → ${serveWords(rule, variations)}`;
  const rules = [
    ...before.rules.flatMap((rule, index) =>
      now.has(rule._id) ? [] : [{ head: `${WORDS.rule(index + 1)} · ${WORDS.removed}`, before: words(rule) }],
    ),
    ...after.rules.flatMap((rule, index): ChangeDetail[] => {
      const known = old.get(rule._id);
      const head = WORDS.rule(index + 1);
      if (known === undefined) return [{ head: `${head} · ${WORDS.fresh}`, after: words(rule) }];
      if (words(known) === words(rule)) return [];
      return [{ head, before: words(known), after: words(rule) }];
    }),
  ];
  const others = summarize({ ...before, rules: [] }, { ...after, rules: [] }, variations).map(
    ({ part, from, to }) => ({ head: part, ...(from !== undefined && { before: from }), after: to }),
  );
  return [...rules, ...others].slice(0, MAX_DETAILS);
}

/** A part of the targeting, from its JSON. */
export function describePart(
  part: string,
  value: unknown,
  variations: readonly Variation[],
): string | undefined {
  if (part === 'fallthrough') return serveWords(value as Serve, variations);
  if (part === 'offVariation') return variationName(variations, value as number);
  if (!part.startsWith('rules/') || part === 'rules/order') return undefined;
  const rule = value as Rule;
  const words = `${ruleSentence(rule)} → ${serveWords(rule, variations)}`;
  return rule.description === undefined ? words : `${rule.description}: ${words}`;
}

function ofKeyed(before: Targeting['prerequisites'], after: Targeting['prerequisites']): ChangeWords[] {
  const old = new Map(before.map((one) => [one.key, one.variation]));
  const now = new Map(after.map((one) => [one.key, one.variation]));
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) => {
    if (old.get(key) === now.get(key)) return [];
    const to = !old.has(key) ? WORDS.added : now.has(key) ? WORDS.changed : WORDS.removed;
    return [{ part: key, to }];
  });
}

function ofRules(
  before: readonly Rule[],
  after: readonly Rule[],
  variations: readonly Variation[],
): ChangeWords[] {
  const known = new Map(before.map((rule) => [rule._id, rule]));
  const kept = after.filter(({ _id }) => known.has(_id)).map(({ _id }) => _id);
  const ids = new Set(kept);
  const left = before.filter(({ _id }) => ids.has(_id)).map(({ _id }) => _id);
  return [
    ...before.flatMap((rule, index) =>
      ids.has(rule._id) ? [] : [{ part: WORDS.rule(index + 1), to: WORDS.removed }],
    ),
    ...(isSame(kept, left) ? [] : [{ part: WORDS.movedRules, to: '' }]),
    ...after.flatMap((rule, index): ChangeWords[] => {
      const old = known.get(rule._id);
      const part = WORDS.rule(index + 1);
      if (old === undefined) return [{ part, to: WORDS.added }];
      if (old === rule || isSame(old, rule)) return [];
      const isServed = !isSame([old.variation, old.rollout], [rule.variation, rule.rollout]);
      return [{ part, ...(isServed ? fromTo(old, rule, variations) : { to: WORDS.changed }) }];
    }),
  ];
}

function fromTo(before: Serve, after: Serve, variations: readonly Variation[]) {
  return { from: serveWords(before, variations), to: serveWords(after, variations) };
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
