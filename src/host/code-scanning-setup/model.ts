// The default setup of code scanning: its shape in the API, and the rules of changing it.
import { Failure } from '../../kernel/failure.ts';
import { Nullable, OneOf, PlainText, problem, Type, type Static } from '../../kernel/schema/schema.ts';

export const SCANNED_LANGUAGES = [
  'actions',
  'c-cpp',
  'csharp',
  'go',
  'java-kotlin',
  'javascript-typescript',
  'python',
  'ruby',
  'swift',
] as const;
export type ScannedLanguage = (typeof SCANNED_LANGUAGES)[number];

/** By the names under which a repository counts its languages. */
const ANALYSED_AS: Readonly<Record<string, ScannedLanguage>> = {
  C: 'c-cpp',
  'C++': 'c-cpp',
  'C#': 'csharp',
  Go: 'go',
  Java: 'java-kotlin',
  Kotlin: 'java-kotlin',
  JavaScript: 'javascript-typescript',
  TypeScript: 'javascript-typescript',
  Python: 'python',
  Ruby: 'ruby',
  Swift: 'swift',
};

const State = OneOf(['configured', 'not-configured']);
const QuerySuite = OneOf(['default', 'extended']);
const ThreatModel = OneOf(['remote', 'remote_and_local']);
const RunnerType = OneOf(['standard', 'labeled']);
const RunnerLabel = Nullable(PlainText({ maxLength: 255 }));

export const DefaultSetup = Type.Object(
  {
    state: State,
    languages: Type.Array(OneOf(SCANNED_LANGUAGES)),
    runner_type: Nullable(RunnerType),
    runner_label: Nullable(Type.String()),
    query_suite: QuerySuite,
    threat_model: ThreatModel,
    updated_at: Nullable(Type.String({ format: 'date-time' })),
    schedule: Nullable(OneOf(['weekly'])),
  },
  { $id: 'code-scanning-default-setup' },
);

export const DefaultSetupUpdate = Type.Object(
  {
    state: Type.Optional(State),
    runner_type: Type.Optional(RunnerType),
    runner_label: Type.Optional(RunnerLabel),
    query_suite: Type.Optional(QuerySuite),
    threat_model: Type.Optional(ThreatModel),
    languages: Type.Optional(Type.Array(OneOf(SCANNED_LANGUAGES), { maxItems: 100 })),
  },
  { $id: 'code-scanning-default-setup-update' },
);

export const DefaultSetupRun = Type.Object(
  { run_id: Type.Integer(), run_url: Type.String() },
  { $id: 'code-scanning-default-setup-update-response' },
);

/** What was chosen. */
export interface CodeScanningSetup {
  isConfigured: boolean;
  /** Null for all that the repository has. */
  languages: ScannedLanguage[] | null;
  querySuite: Static<typeof QuerySuite>;
  threatModel: Static<typeof ThreatModel>;
  runnerType: Static<typeof RunnerType>;
  runnerLabel: string | null;
}

export const NOT_CONFIGURED: CodeScanningSetup = {
  isConfigured: false,
  languages: null,
  querySuite: 'default',
  threatModel: 'remote',
  runnerType: 'standard',
  runnerLabel: null,
};

/** Those of the repository that can be analysed, in order. */
export function analysedLanguages(
  counted: Readonly<Record<string, number>>,
  hasWorkflows: boolean,
): ScannedLanguage[] {
  const found = new Set(
    Object.keys(counted).flatMap((name) => (Object.hasOwn(ANALYSED_AS, name) ? ANALYSED_AS[name]! : [])),
  );
  if (hasWorkflows) found.add('actions');
  return [...found].toSorted();
}

/** Fields that are absent stay. What is not configured has no other settings. */
export function setupAfter(
  before: CodeScanningSetup,
  sent: Static<typeof DefaultSetupUpdate>,
  found: readonly ScannedLanguage[],
): CodeScanningSetup {
  if (Object.values(sent).every((value) => value === undefined))
    throw new Failure('invalid', 'Send at least one setting to change');
  const isConfigured = sent.state === undefined ? before.isConfigured : sent.state === 'configured';
  checkLanguages(sent.languages, found);
  const runnerType = sent.runner_type ?? before.runnerType;
  const label = sent.runner_label === undefined ? before.runnerLabel : sent.runner_label;
  if (runnerType === 'labeled' && !label) throw problem('/runner_label', 'is required');
  if (runnerType === 'standard' && sent.runner_label)
    throw problem('/runner_label', 'is for the runner type labeled only');
  if (!isConfigured) {
    if (sent.state === undefined) throw problem('/state', 'must be configured before other settings');
    return NOT_CONFIGURED;
  }
  if (found.length === 0)
    throw new Failure('invalid', 'The repository has no languages that can be analysed', {
      code: 'no-languages',
    });
  return {
    isConfigured,
    languages: sent.languages === undefined ? before.languages : [...new Set(sent.languages)].toSorted(),
    querySuite: sent.query_suite ?? before.querySuite,
    threatModel: sent.threat_model ?? before.threatModel,
    runnerType,
    runnerLabel: runnerType === 'standard' ? null : label,
  };
}

function checkLanguages(sent: readonly ScannedLanguage[] | undefined, found: readonly string[]): void {
  if (sent === undefined) return;
  if (sent.length === 0) throw problem('/languages', 'must have at least one language');
  const missing = sent.find((language) => !found.includes(language));
  if (missing !== undefined)
    throw problem('/languages', `must be languages of the repository, which has no ${missing}`);
}

export function toDefaultSetup(
  setup: CodeScanningSetup,
  found: ScannedLanguage[],
  updatedAt: number | null,
): Static<typeof DefaultSetup> {
  const { isConfigured } = setup;
  return {
    state: isConfigured ? 'configured' : 'not-configured',
    languages: setup.languages ?? found,
    runner_type: isConfigured ? setup.runnerType : null,
    runner_label: setup.runnerLabel,
    query_suite: setup.querySuite,
    threat_model: setup.threatModel,
    updated_at: updatedAt === null ? null : new Date(updatedAt).toISOString().replace(/\.\d+Z$/, 'Z'),
    schedule: isConfigured ? 'weekly' : null,
  };
}
