// The vocabulary of the breaking-change check: the specification's eight breaking and six additive kinds of change.

/** In the order of the specification's two lists; nothing else is reported. */
const SEVERITIES = {
  'operation-removed': 'breaking',
  'parameter-or-field-removed': 'breaking', // or renamed: one kind in the specification
  'required-parameter-added': 'breaking',
  'parameter-made-required': 'breaking',
  'type-changed': 'breaking',
  'enum-values-removed': 'breaking',
  'validation-rule-added': 'breaking',
  'access-changed': 'breaking', // authentication or authorization requirements
  'operation-added': 'additive',
  'optional-parameter-added': 'additive',
  'optional-request-header-added': 'additive',
  'response-field-added': 'additive',
  'response-header-added': 'additive',
  'enum-values-added': 'additive',
} as const;

export type DifferenceKind = keyof typeof SEVERITIES;
export type Severity = (typeof SEVERITIES)[DifferenceKind];

/** All kinds, for code that prints or checks each of them. */
export const DIFFERENCE_KINDS = Object.keys(SEVERITIES) as DifferenceKind[];

export interface Difference {
  severity: Severity;
  kind: DifferenceKind;
  /** `GET /rate_limit → 200 application/json: rate`; the request's side is written with `←`. */
  where: string;
  /** One sentence, with the old and the new value. */
  message: string;
}

export function severityOf(kind: DifferenceKind): Severity {
  return SEVERITIES[kind];
}

/** Breaking ones first, then by location, without duplicates. Independent of the order of keys in the documents. */
export function sortDifferences(differences: Iterable<Difference>): Difference[] {
  const unique = new Map<string, Difference>();
  for (const difference of differences) {
    unique.set(`${difference.where}\n${difference.kind}\n${difference.message}`, difference);
  }
  const keyed = [...unique].map(([key, difference]) => ({
    key: `${difference.severity === 'breaking' ? 0 : 1}${key}`,
    difference,
  }));
  keyed.sort((left, right) => (left.key < right.key ? -1 : 1));
  return keyed.map(({ difference }) => difference);
}
