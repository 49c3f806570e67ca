// The upgrade report: which of the calls that were made would change in a version.
import { useChange, useRead } from '../../api/read.ts';
import type { Call } from '../../api/call.ts';
import { path } from '../../api/call.ts';
import { useListPages } from '../../lib/list-pages.ts';
import { nextPage } from '../queries.ts';

export interface UpgradeCalls {
  operation: string;
  method: string;
  path: string;
  version: string;
  variant: string | null;
  caller: {
    type: 'token' | 'session' | 'program' | 'anonymous';
    id: string | null;
    name: string | null;
    login: string | null;
  };
  calls: number;
  last_seen_at: string;
  changes: {
    title: string;
    advice: string;
    in: 'request' | 'reply' | 'operation';
    fields: { name: string; kind: string }[];
    calls: number;
  }[];
  done_at: string | null;
  done_by: string | null;
}

export interface UpgradeReport {
  version: string;
  header: string;
  unrecorded_calls: number;
  retention_days: number;
  calls: UpgradeCalls[];
}

const PAGE = 100;
const UPGRADE_TOPICS = ['upgrade-report'];

function reportCall(version: string, isAll: boolean): Call {
  return { api: 'host', path: path`/versions/${version}/impact`, query: { all: isAll || undefined } };
}

export function upgradeKey({ operation, version, variant, caller }: UpgradeCalls): string {
  return [caller.type, caller.id ?? '', version, variant ?? '', operation].join(' ');
}

export function useUpgradeCalls(version: string, isAll: boolean) {
  return useListPages<UpgradeReport, UpgradeCalls>({
    call: reportCall(version, isAll),
    topics: UPGRADE_TOPICS,
    isEnabled: version !== '',
    first: 1,
    pageQuery: (page) => ({ per_page: PAGE, page }),
    toPage: ({ calls }, page, headers) => ({ rows: calls, next: nextPage(page, headers) }),
    idOf: upgradeKey,
  });
}

/** What it says beside its calls. */
export function useUpgradeReport(version: string | undefined) {
  return useRead<UpgradeReport>(
    { call: { ...reportCall(version ?? '', false), query: { per_page: 1 } }, topics: UPGRADE_TOPICS },
    { isEnabled: version !== undefined },
  );
}

export function useMark() {
  return useChange<{ row: UpgradeCalls; isDone: boolean }>(
    ({ row: { operation, version, variant, caller }, isDone }) => ({
      api: 'signalbox',
      method: 'PUT',
      path: '/upgrade-report/done',
      body: {
        api: 'host',
        operation,
        version,
        ...(variant !== null && { variant }),
        ...(caller.id !== null && { caller: caller.id }),
        isDone,
      },
    }),
    UPGRADE_TOPICS,
  );
}

/** For an issue: one line to tick for each kind of call. */
export function issueText(version: string, rows: readonly UpgradeCalls[]): string {
  const lines = rows.map(
    (row) =>
      `- [${row.done_at === null ? ' ' : 'x'}] \`${row.method} ${row.path}\` (${row.version}, ${callerText(row)}, ${row.calls} calls)\n` +
      row.changes.map(({ title, advice }) => `  - ${title}. ${advice}`).join('\n'),
  );
  return [`# Calls that ${version} changes`, '', ...lines, ''].join('\n');
}

export function callerText({ caller: { type, id, name, login } }: UpgradeCalls): string {
  if (type === 'anonymous') return 'without a token';
  const what = type === 'session' ? 'browser session' : (name ?? id ?? '');
  return login === null ? what : `${what} of ${login}`;
}
