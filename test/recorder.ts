// Records the calls of tests for the examples in OpenAPI documents: off unless SIGNALBOX_RECORD_CALLS names a file.
import { appendFileSync } from 'node:fs';

export interface RecordedCall {
  method: string;
  /** With the query. */
  path: string;
  /** Of the request, in lower case. */
  headers: Record<string, string>;
  /** The body of the request, as text. */
  sent?: string;
  status: number;
  /** The content type of the reply. */
  type: string;
  text: string;
}

/** A longer one would be no example. */
const MAX_LENGTH = 20_000;

/** Writes a line for each call that succeeded. */
export function recordCall(call: RecordedCall): void {
  const file = process.env['SIGNALBOX_RECORD_CALLS'];
  if (file === undefined || call.status < 200 || call.status >= 300) return;
  if (call.text.length > MAX_LENGTH || (call.sent?.length ?? 0) > MAX_LENGTH) return;
  const headers = Object.entries(call.headers).map(([name, value]) => [name.toLowerCase(), value]);
  const recorded = { ...call, headers: Object.fromEntries(headers) as Record<string, string> };
  appendFileSync(file, `${JSON.stringify(recorded)}\n`);
}
