// Compares the responses of one operation: statuses, headers, and the fields of each body.
import { compareContents, reportSchemas } from './operation-comparison.ts';
import { matchNames } from './names.ts';
import type { OperationComparison, ContractOperation } from './operation-comparison.ts';
import type { JsonRecord } from './document.ts';

export function compareResponses(comparing: OperationComparison): void {
  const { older, newer, where, report } = comparing;
  const statuses = matchNames(readResponses(older), readResponses(newer), () => false);
  for (const [status] of statuses.removed) {
    const message = `The response ${status} and all of its fields were removed.`;
    report('parameter-or-field-removed', `${where} → ${status}`, message);
  }
  for (const [status] of statuses.added) {
    report(
      'response-field-added',
      `${where} → ${status}`,
      `The response ${status} and its fields were added.`,
    );
  }
  for (const { name: status, before, after } of statuses.kept) {
    compareHeaders(comparing, `${where} → ${status}`, before, after);
    compareContents(comparing, 'response', `${where} → ${status}`, before, after);
  }
}

function readResponses({ document, operation }: ContractOperation): Map<string, JsonRecord> {
  const responses = Object.entries(document.record(operation.detail['responses'], '"responses"'));
  return new Map(
    responses
      .filter(([status]) => !status.startsWith('x-'))
      .map(([status, value]) => [status.toUpperCase(), document.resolve(value, `the response ${status}`)]),
  );
}

interface Header {
  name: string;
  schema: unknown;
}

function compareHeaders(
  comparing: OperationComparison,
  where: string,
  before: JsonRecord,
  after: JsonRecord,
): void {
  const { older, newer, report } = comparing;
  const headers = matchNames(readHeaders(older, before), readHeaders(newer, after), () => false);
  for (const [, { name }] of headers.removed) {
    report('parameter-or-field-removed', `${where} header ${name}`, `The header "${name}" was removed.`);
  }
  for (const [, { name }] of headers.added) {
    report('response-header-added', `${where} header ${name}`, `The header "${name}" was added.`);
  }
  for (const { before: was, after: now } of headers.kept) {
    const spot = `${where} header ${now.name}`;
    reportSchemas(comparing, comparing.compareReturned, spot, was.schema, now.schema);
  }
}

function readHeaders({ document }: ContractOperation, response: JsonRecord): Map<string, Header> {
  const headers = Object.entries(document.record(response['headers'], '"headers"'));
  return new Map(
    headers.map(([name, value]) => {
      const { schema } = document.resolve(value, `the header "${name}"`);
      return [name.toLowerCase(), { name, schema }];
    }),
  );
}
