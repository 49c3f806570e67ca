// What an import has done, thing by thing, and its summary, for people and as JSON: counts, reasons, and what is left to do by hand.
import { painter, type Io, alignTable } from '../io.ts';

export const IMPORT_KINDS = [
  'actors',
  'tasks',
  'schedules',
  'webhooks',
  'key-value-stores',
  'datasets',
  'request-queues',
] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

/** One of a kind, as the lines of an import name it. */
export const KIND_WORDS: Record<ImportKind, string> = {
  actors: 'Actor',
  tasks: 'task',
  schedules: 'schedule',
  webhooks: 'webhook',
  'key-value-stores': 'key-value store',
  datasets: 'dataset',
  'request-queues': 'request queue',
};

/** `kept` differs from the source and stays as it is; `skipped` cannot be copied; `failed` was rejected. */
const OUTCOMES = ['created', 'changed', 'unchanged', 'kept', 'skipped', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];

export interface ImportedThing {
  kind: ImportKind;
  name: string;
  outcome: Outcome;
  /** Why it was kept, skipped or failed; what was changed. */
  reason?: string;
}

interface ContentCounts {
  items: number;
  records: number;
  requests: number;
}

export class ImportReport {
  readonly counts = Object.fromEntries(
    IMPORT_KINDS.map((kind) => [kind, Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0]))]),
  ) as Record<ImportKind, Record<Outcome, number>>;
  /** Those with a reason: what went as expected is only counted, as there may be very many. */
  readonly things: ImportedThing[] = [];
  readonly content: ContentCounts = { items: 0, records: 0, requests: 0 };
  readonly #tasks = new Set<string>();
  #failedBuilds = 0;

  add(thing: ImportedThing): void {
    this.counts[thing.kind][thing.outcome] += 1;
    if (thing.reason !== undefined) this.things.push(thing);
  }

  /** Something that the person has to do, once. */
  ask(sentence: string): void {
    this.#tasks.add(sentence);
  }

  addFailedBuild(): void {
    this.#failedBuilds += 1;
  }

  get toDo(): string[] {
    return [...this.#tasks];
  }

  /** Whether something of the source is missing or different on the target, and could be there. */
  get isIncomplete(): boolean {
    return this.#failedBuilds > 0 || Object.values(this.counts).some(({ failed, kept }) => failed + kept > 0);
  }

  with(outcome: Outcome): ImportedThing[] {
    return this.things.filter((thing) => thing.outcome === outcome);
  }
}

interface ImportEnd {
  from: { url: string; username: string };
  to: { url: string; username: string };
  isDryRun: boolean;
  /** Why it ended before its end, as a sentence. */
  stopped?: string;
}

const HEADINGS: Partial<Record<Outcome, string>> = {
  kept: 'Kept as they are, because they differ from the source (--overwrite replaces them)',
  skipped: 'Left out',
  failed: 'Failed',
};

export function summarizeImport(report: ImportReport, { from, to, isDryRun, stopped }: ImportEnd) {
  const { counts, content, things, toDo } = report;
  return {
    from,
    to,
    dryRun: isDryRun,
    complete: stopped === undefined && !report.isIncomplete,
    ...(stopped !== undefined && { stopped }),
    counts,
    content,
    things,
    toDo,
  };
}

export function describeSummary(report: ImportReport, end: ImportEnd, io: Io): string {
  const paint = painter(io);
  const { from, to, isDryRun, stopped } = end;
  const kinds = IMPORT_KINDS.filter((kind) => Object.values(report.counts[kind]).some((count) => count > 0));
  const shown = OUTCOMES.filter((outcome) => kinds.some((kind) => report.counts[kind][outcome] > 0));
  const rows = kinds.map((kind) => [
    `${KIND_WORDS[kind]}s`,
    ...shown.map((outcome) => String(report.counts[kind][outcome])),
  ]);
  const { items, records, requests } = report.content;
  const amount = (count: number) => count.toLocaleString('en');
  const lists = (['failed', 'kept', 'skipped'] as const).flatMap((outcome) =>
    section(HEADINGS[outcome]!, report.with(outcome).map(describeThing), paint),
  );
  return [
    paint(
      'bold',
      `${isDryRun ? 'A dry run, nothing was changed. ' : ''}From ${from.url} (${from.username}) to ${to.url} (${to.username})`,
    ),
    '',
    ...(rows.length > 0 ? [alignTable(['', ...shown], rows)] : ['There is nothing to copy.']),
    ...(items + records + requests > 0
      ? [
          '',
          `${isDryRun ? 'To be copied' : 'Copied'}: ${amount(items)} items, ${amount(records)} records, ${amount(requests)} requests.`,
        ]
      : []),
    ...lists,
    ...section('For you to do', report.toDo, paint),
    ...(stopped === undefined ? [] : ['', paint('yellow', stopped)]),
  ].join('\n');
}

function section(title: string, lines: readonly string[], paint: ReturnType<typeof painter>): string[] {
  return lines.length === 0 ? [] : ['', paint('bold', `${title}:`), ...lines.map((line) => `  ${line}`)];
}

function describeThing({ kind, name, reason }: ImportedThing): string {
  return `${KIND_WORDS[kind]} ${name}: ${reason}`;
}
