// Role attributes: values that replace `${roleAttribute/key}` in a policy, so that one role serves many people.
import type { PolicyStatement } from './policy.ts';

/** Lists of values by key. */
export type RoleAttributes = Readonly<Record<string, readonly string[]>>;

const PLACEHOLDER = /\$\{roleAttribute\/([^}]*)\}/;

export function hasPlaceholders(statements: readonly PolicyStatement[]): boolean {
  return statements.some(({ resources = [], notResources = [] }) =>
    [...resources, ...notResources].some((resource) => PLACEHOLDER.test(resource)),
  );
}

/** An unset attribute matches nothing in an allow and everything in a deny: forgetting one must not grant anything. */
export function fillPlaceholders(
  statements: readonly PolicyStatement[],
  attributes: RoleAttributes,
): PolicyStatement[] {
  return statements.map((statement) => {
    const { effect, resources, notResources } = statement;
    const fill = (list: readonly string[], whenUnset: readonly string[]) =>
      list.flatMap((resource) => fillOne(resource, attributes, whenUnset));
    return {
      ...statement,
      ...(resources && { resources: fill(resources, effect === 'deny' ? ['*'] : []) }),
      ...(notResources && { notResources: fill(notResources, effect === 'deny' ? [] : ['*']) }),
    };
  });
}

function fillOne(resource: string, attributes: RoleAttributes, whenUnset: readonly string[]): string[] {
  const found = PLACEHOLDER.exec(resource);
  if (found === null) return [resource];
  const [placeholder, key = ''] = found;
  const values = Object.hasOwn(attributes, key) ? attributes[key]! : [];
  return (values.length === 0 ? whenUnset : values).flatMap((value) =>
    fillOne(
      resource.replace(placeholder, () => value),
      attributes,
      whenUnset,
    ),
  );
}

/** Merges the values of a member who has attributes from several sources. */
export function joinAttributes(all: readonly RoleAttributes[]): RoleAttributes {
  const joined = new Map<string, Set<string>>();
  for (const [key, values] of all.flatMap((attributes) => Object.entries(attributes))) {
    joined.set(key, new Set([...(joined.get(key) ?? []), ...values]));
  }
  return Object.fromEntries([...joined].map(([key, values]) => [key, [...values]]));
}
