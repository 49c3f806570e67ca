// Reads one run of a document: its tool, its rules, and the most severe of its results.
import { createHash } from 'node:crypto';
import {
  KEPT_RESULTS,
  KEPT_TAGS,
  MAX_EXTENSIONS,
  MAX_SARIF_NAME,
  MAX_SARIF_RESULTS,
  MAX_RULES,
  MAX_RULE_TAGS,
} from './sarif-limits.ts';
import { detailsOf, keptText, limitProblem, type ResultDetails, type RunPlaces } from './sarif-result.ts';
import {
  RuleBook,
  ruleIdOf,
  securitySeverityOf,
  SECURITY_SEVERITIES,
  ruleSeverityOf,
  SEVERITIES,
  shownRule,
  tagsOf,
  type AlertSeverity,
  type ScanningRule,
  type SecuritySeverity,
} from './sarif-rule.ts';
import { listIn, objectIn, textIn, type SarifObject } from './sarif-values.ts';

export interface SarifRunSummary {
  toolName: string;
  toolVersion: string | null;
  toolGuid: string | null;
  category: string;
  resultsCount: number;
  rulesCount: number;
  /** Empty where everything is kept. */
  warning: string;
}

export interface ReadResult {
  fingerprint: string;
  ruleId: string;
  severity: AlertSeverity;
  securitySeverity: SecuritySeverity | null;
  details: ResultDetails;
}

export interface ReadRun extends SarifRunSummary {
  rules: [id: string, rule: ScanningRule][];
  /** The most severe first. */
  results: ReadResult[];
  /** JSON without its last bracket, and the same of each result. */
  texts(): Generator<string>;
}

interface Candidate extends ReadResult {
  source: SarifObject;
  rule: SarifObject | undefined;
}

/** Calls `refuse` for whatever is wrong; the run is of no use then. */
export function readRun(
  run: SarifObject,
  checkoutUri: string | undefined,
  refuse: (problem: string) => void,
): ReadRun {
  const tool = objectIn(run['tool']);
  const driver = objectIn(tool['driver']);
  const toolName = textIn(driver['name'], MAX_SARIF_NAME + 1) ?? '';
  if (toolName.trim() === '') refuse('tool.driver.name is required');
  else if (toolName.length > MAX_SARIF_NAME) refuse('tool.driver.name is too long');
  const extensions = listIn(tool['extensions']).length;
  if (extensions > MAX_EXTENSIONS)
    refuse(`has ${extensions} tool extensions; the limit is ${MAX_EXTENSIONS}`);
  const book = new RuleBook(tool);
  if (book.count > MAX_RULES) refuse(`has ${book.count} rules; the limit is ${MAX_RULES}`);
  for (const rule of book.rules.slice(0, MAX_RULES)) {
    const { length } = tagsOf(rule);
    if (length > MAX_RULE_TAGS)
      refuse(`the rule ${textIn(rule['id'], 80)} has ${length} tags; the limit is ${MAX_RULE_TAGS}`);
  }
  const results = run['results'] ?? [];
  if (!Array.isArray(results)) refuse('results must be an array');
  const all = listIn(results);
  if (all.length > MAX_SARIF_RESULTS)
    refuse(
      `has ${all.length} results; the limit is ${MAX_SARIF_RESULTS}. Leave out the rules with the most results`,
    );
  const places: RunPlaces = {
    ...(checkoutUri !== undefined && { root: checkoutUri }),
    bases: objectIn(run['originalUriBaseIds']),
  };
  const found = all.slice(0, MAX_SARIF_RESULTS).flatMap((result, index) => {
    const read = readResult(objectIn(result), book, places, (problem) =>
      refuse(`results[${index}] ${problem}`),
    );
    return read ?? [];
  });
  identify(found);
  const kept = found.toSorted((one, other) => rankOf(other) - rankOf(one)).slice(0, KEPT_RESULTS);
  const rules = new Map(kept.map(({ ruleId, rule }) => [ruleId, rule]));
  return {
    toolName,
    toolVersion: textIn(driver['semanticVersion'] ?? driver['version'], MAX_SARIF_NAME) ?? null,
    toolGuid: textIn(driver['guid'], MAX_SARIF_NAME) ?? null,
    category: categoryOf(run, refuse),
    resultsCount: kept.length,
    rulesCount: book.count,
    warning:
      found.length > kept.length
        ? `Only ${kept.length} of ${found.length} results are kept: the most severe ones.`
        : '',
    rules: [...rules].map(([id, rule]) => [id, shownRule(id, rule)]),
    results: kept.map(({ source: _source, rule: _rule, ...result }) => result),
    *texts() {
      const { results: _results, ...others } = withFewerTags(run);
      yield JSON.stringify(others).slice(0, -1);
      for (const { source } of kept) yield keptText(source);
    },
  };
}

/** Undefined for what is no finding. */
function readResult(
  result: SarifObject,
  book: RuleBook,
  places: RunPlaces,
  refuse: (problem: string) => void,
): Candidate | undefined {
  if (result['baselineState'] === 'absent') return undefined;
  if (result['kind'] === 'pass' || result['kind'] === 'notApplicable') return undefined;
  const rule = book.ruleOf(result);
  const ruleId = ruleIdOf(result, rule);
  const tooMuch = limitProblem(result);
  const { level } = result;
  if (tooMuch !== undefined) refuse(tooMuch);
  else if (ruleId === undefined || ruleId === '') refuse('has no ruleId');
  else if (ruleId.length > MAX_SARIF_NAME) refuse('has a ruleId that is too long');
  else if (level !== undefined && !SEVERITIES.some((one) => one === level))
    refuse(`has an unknown level; use one of ${SEVERITIES.join(', ')}`);
  else {
    const details = detailsOf(result, rule, places);
    if (details === undefined) refuse('has no message.text');
    else {
      const severity = ruleSeverityOf(result, rule);
      const securitySeverity = securitySeverityOf(rule);
      return { fingerprint: '', ruleId, severity, securitySeverity, details, source: result, rule };
    }
  }
  return undefined;
}

function rankOf({ severity, securitySeverity }: ReadResult): number {
  const security = securitySeverity === null ? 0 : SECURITY_SEVERITIES.indexOf(securitySeverity) + 1;
  return security * SEVERITIES.length + SEVERITIES.indexOf(severity);
}

/**
 * The identity across uploads: the rule and the tool's hash of the line, or else the file and the message. Of several
 * results with the same, the first in the order of the files is the first one again in the next upload.
 */
function identify(results: readonly Candidate[]): void {
  const groups = new Map<string, Candidate[]>();
  for (const result of results) {
    const { ruleId, details, source } = result;
    const hash = textIn(objectIn(source['partialFingerprints'])['primaryLocationLineHash'], 1000);
    const key = JSON.stringify(
      hash === undefined || hash === '' ? [ruleId, details.location.path, details.message] : [ruleId, hash],
    );
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [result]);
    else group.push(result);
  }
  for (const [key, group] of groups) {
    const ordered = group.length === 1 ? group : group.toSorted(byPlace);
    for (const [index, result] of ordered.entries())
      result.fingerprint = createHash('sha256').update(`${index}\n${key}`).digest('hex').slice(0, 40);
  }
}

function byPlace({ details: { location: one } }: ReadResult, { details: { location: other } }: ReadResult) {
  if (one.path !== other.path) return one.path < other.path ? -1 : 1;
  return one.start_line - other.start_line || one.start_column - other.start_column;
}

/** Everything before the last slash; what follows names the run. */
function categoryOf(run: SarifObject, refuse: (problem: string) => void): string {
  const id = textIn(objectIn(run['automationDetails'])['id'], MAX_SARIF_NAME + 1) ?? '';
  // An index has it beside the names of the ref and the tool, and PostgreSQL's entries have at most 2,704 bytes.
  if (id.length > MAX_SARIF_NAME)
    refuse(`automationDetails.id is too long; the limit is ${MAX_SARIF_NAME} characters`);
  return id.slice(0, Math.max(id.lastIndexOf('/'), 0));
}

function withFewerTags(run: SarifObject): SarifObject {
  const tool = objectIn(run['tool']);
  const fewer = (component: unknown): unknown => {
    const { rules, ...others } = objectIn(component);
    if (!Array.isArray(rules)) return component;
    return { ...others, rules: rules.map(withKeptTags) };
  };
  const { extensions } = tool;
  return {
    ...run,
    tool: {
      ...tool,
      driver: fewer(tool['driver']),
      ...(Array.isArray(extensions) && { extensions: extensions.map(fewer) }),
    },
  };
}

function withKeptTags(rule: unknown): unknown {
  const tags = tagsOf(objectIn(rule));
  if (tags.length <= KEPT_TAGS) return rule;
  const properties = { ...objectIn(objectIn(rule)['properties']), tags: tags.slice(0, KEPT_TAGS) };
  return { ...objectIn(rule), properties };
}
