// Writes the SARIF document of an analysis from what was kept of it, line by line, and adds the alerts of its results.
import { pipeline } from 'node:stream';
import { createGunzip } from '../../kernel/network/streams.ts';
import { splitLines } from '../../kernel/text/split-lines.ts';
import type { StoredBlob } from '../../kernel/storage/blobs/blob.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Analysis } from './analysis.ts';
import { listAlertsOfResults } from './store-analyses.ts';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';
const AT_ONCE = 500;

export async function* readDocument(
  db: Db,
  { number }: Analysis,
  blob: StoredBlob,
  alertsUrl: string,
): AsyncGenerator<string> {
  const source = blob.stream();
  // An error of either is thrown where the lines are read.
  const lines = splitLines(pipeline(source, createGunzip(), () => {}));
  try {
    yield `{"$schema":${JSON.stringify(SCHEMA)},"version":"2.1.0","runs":[`;
    let position = -1;
    let alerts = new Map<number, number>();
    for await (const line of lines) {
      if (position < 0) yield `${line},"results":[`;
      else {
        if (position % AT_ONCE === 0) alerts = await listAlertsOfResults(db, number, position, AT_ONCE);
        const own = membersOf(alerts.get(position), alertsUrl);
        const isFirst = own === '' || line.endsWith('{');
        yield `${position === 0 ? '' : ','}${line}${isFirst ? '' : ','}${own}}}`;
      }
      position += 1;
    }
    yield ']}]}';
  } finally {
    source.destroy();
  }
}

/** Empty where the analysis has been deleted since the document was begun. */
function membersOf(alert: number | undefined, alertsUrl: string): string {
  if (alert === undefined) return '';
  return `"github/alertNumber":${alert},"github/alertUrl":${JSON.stringify(`${alertsUrl}/${alert}`)}`;
}
