// The rules of a run: what is shown of them, and which of them a result belongs to.
import { KEPT_TAGS, MAX_SARIF_DESCRIPTION, MAX_HELP_LENGTH, MAX_SARIF_NAME } from './sarif-limits.ts';
import { listIn, objectIn, textIn, type SarifObject } from './sarif-values.ts';

export const SEVERITIES = ['none', 'note', 'warning', 'error'] as const;
export type AlertSeverity = (typeof SEVERITIES)[number];

export const SECURITY_SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
export type SecuritySeverity = (typeof SECURITY_SEVERITIES)[number];

/** What alerts show of a rule beside its id and severity. */
export interface ScanningRule {
  name: string;
  description: string;
  fullDescription: string;
  tags: string[];
  /** Absent in lists. */
  help?: string | null;
  helpUri: string | null;
}

/** All rules of the tool and its extensions. */
export class RuleBook {
  readonly #components: readonly (readonly SarifObject[])[];
  readonly #byId = new Map<string, SarifObject>();
  readonly count: number;

  constructor(tool: SarifObject) {
    this.#components = [tool['driver'], ...listIn(tool['extensions'])].map((component) =>
      listIn(objectIn(component)['rules']).map(objectIn),
    );
    const all = this.#components.flat();
    this.count = all.length;
    for (const rule of all) {
      const { id } = rule;
      if (typeof id === 'string' && !this.#byId.has(id)) this.#byId.set(id, rule);
    }
  }

  get rules(): readonly SarifObject[] {
    return this.#components.flat();
  }

  /** Undefined where the tool does not describe it. */
  ruleOf(result: SarifObject): SarifObject | undefined {
    const reference = objectIn(result['rule']);
    const component = objectIn(reference['toolComponent'])['index'];
    const rules = this.#components[Number.isInteger(component) ? Number(component) + 1 : 0] ?? [];
    const index = reference['index'] ?? result['ruleIndex'];
    const indexed = Number.isInteger(index) ? rules[Number(index)] : undefined;
    const id = idIn(result);
    // An id may be more exact than that of the rule: `CA1000/1`.
    if (indexed !== undefined && (id === undefined || `${id}/`.startsWith(`${String(indexed['id'])}/`)))
      return indexed;
    return id === undefined ? undefined : this.#byId.get(id);
  }
}

/** Undefined where neither the result nor its rule has one. */
export function ruleIdOf(result: SarifObject, rule: SarifObject | undefined): string | undefined {
  return idIn(result) ?? textIn(rule?.['id'], MAX_SARIF_NAME + 1);
}

function idIn(result: SarifObject): string | undefined {
  return textIn(result['ruleId'] ?? objectIn(result['rule'])['id'], MAX_SARIF_NAME + 1);
}

export function ruleSeverityOf(result: SarifObject, rule: SarifObject | undefined): AlertSeverity {
  const level = result['level'] ?? objectIn(rule?.['defaultConfiguration'])['level'];
  return SEVERITIES.find((one) => one === level) ?? 'warning';
}

export function securitySeverityOf(rule: SarifObject | undefined): SecuritySeverity | null {
  const score = Number(objectIn(rule?.['properties'])['security-severity'] ?? Number.NaN);
  if (!(score > 0)) return null;
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  return score >= 4 ? 'medium' : 'low';
}

export function shownRule(id: string, rule: SarifObject = {}): ScanningRule {
  const name = textIn(rule['name'], MAX_SARIF_NAME) ?? id;
  const full = messageIn(rule['fullDescription']);
  const description = messageIn(rule['shortDescription']) ?? full ?? name;
  const { markdown, text } = objectIn(rule['help']);
  const uri = textIn(rule['helpUri'], 2048) ?? '';
  return {
    name,
    description,
    fullDescription: full ?? description,
    tags: tagsOf(rule)
      .slice(0, KEPT_TAGS)
      .flatMap((tag) => textIn(tag, MAX_SARIF_NAME) ?? []),
    help: textIn(markdown ?? text, MAX_HELP_LENGTH) ?? null,
    // Another scheme, such as `javascript:`, would run in the browsers of those who follow the link.
    helpUri: /^https?:\/\//i.test(uri) && URL.canParse(uri) ? uri : null,
  };
}

export function tagsOf(rule: SarifObject): readonly unknown[] {
  return listIn(objectIn(rule['properties'])['tags']);
}

function messageIn(value: unknown): string | undefined {
  const text = textIn(objectIn(value)['text'], MAX_SARIF_DESCRIPTION);
  return text === '' ? undefined : text;
}
