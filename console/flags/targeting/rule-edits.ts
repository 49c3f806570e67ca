// Changes of the list of rules.
import type { Rule, Targeting } from './targeting.ts';

export function replaceRule(targeting: Targeting, rule: Rule): Targeting {
  const { description, ...rest } = rule;
  const kept = description === undefined || description === '' ? rest : rule;
  return {
    ...targeting,
    rules: targeting.rules.map((one) => (one._id === rule._id ? kept : one)),
  };
}

export function removeRule(targeting: Targeting, id: string): Targeting {
  return { ...targeting, rules: targeting.rules.filter(({ _id }) => _id !== id) };
}

export function insertAfter(targeting: Targeting, id: string, rule: Rule): Targeting {
  const at = targeting.rules.findIndex(({ _id }) => _id === id);
  return { ...targeting, rules: targeting.rules.toSpliced(at + 1, 0, rule) };
}

export function moveRule(targeting: Targeting, id: string, to: number): Targeting {
  const { rules } = targeting;
  const from = rules.findIndex(({ _id }) => _id === id);
  if (from < 0 || to < 0 || to >= rules.length) return targeting;
  return { ...targeting, rules: rules.toSpliced(from, 1).toSpliced(to, 0, rules[from]!) };
}
