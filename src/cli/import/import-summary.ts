// The summary of an import, for people and as JSON.
import { painter, type Io } from '../io.ts';
import { alignTable } from '../table.ts';
import {
  IMPORT_KINDS,
  KIND_WORDS,
  OUTCOMES,
  type ImportReport,
  type ImportedThing,
  type Outcome,
} from './import-report.ts';

export interface ImportEnd {
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
