// The context that the comparison of one operation passes to its parts, and the comparison of bodies that both share.
import { matchNames } from './names.ts';
import { isRecord } from './document.ts';
import type { CompareSchemas } from './compare-schemas.ts';
import type { DifferenceKind } from './difference.ts';
import type { Document, JsonRecord } from './document.ts';
import type { Operation } from './operations.ts';
import type { SchemaReader } from './read-schema.ts';

export interface Contract {
  document: Document;
  schemas: SchemaReader;
}

export interface ContractOperation extends Contract {
  operation: Operation;
}

/** One operation as both documents have it. */
export interface OperationComparison {
  older: ContractOperation;
  newer: ContractOperation;
  /** `GET /rate_limit` */
  where: string;
  compareSent: CompareSchemas;
  compareReturned: CompareSchemas;
  report(kind: DifferenceKind, where: string, message: string): void;
}

export function reportSchemas(
  comparing: OperationComparison,
  compare: CompareSchemas,
  where: string,
  before: unknown,
  after: unknown,
): void {
  const { older, newer, report } = comparing;
  for (const { place, finding } of compare(older.schemas.schemaOf(before), newer.schemas.schemaOf(after))) {
    report(
      finding.kind,
      place === '' ? where : `${where}: ${place.startsWith('.') ? place.slice(1) : place}`,
      finding.message,
    );
  }
}

/** Without a media type all parameters or fields of its body are removed. */
export function compareContents(
  comparing: OperationComparison,
  direction: 'request' | 'response',
  prefix: string,
  before: JsonRecord,
  after: JsonRecord,
): void {
  const { older, newer, report } = comparing;
  const isRequest = direction === 'request';
  const media = matchNames(readContent(older, before), readContent(newer, after), () => true);
  for (const [name] of media.removed) {
    const message = `The media type "${name}" was removed${media.renamedTo}.`;
    report('parameter-or-field-removed', `${prefix} ${name}`, message);
  }
  for (const [name] of media.added) {
    const kind = isRequest ? 'optional-parameter-added' : 'response-field-added';
    report(kind, `${prefix} ${name}`, `The media type "${name}" was added${media.renamedFrom}.`);
  }
  for (const each of media.kept) {
    if (isRequest && hasWordsAlone(each.before['schema'])) continue;
    const compare = isRequest ? comparing.compareSent : comparing.compareReturned;
    reportSchemas(comparing, compare, `${prefix} ${each.name}`, each.before['schema'], each.after['schema']);
  }
}

function hasWordsAlone(schema: unknown): boolean {
  if (!isRecord(schema) || schema['description'] === undefined) return false;
  return Object.keys(schema).every((keyword) => keyword === 'description' || keyword.startsWith('x-'));
}

function readContent({ document }: ContractOperation, holder: JsonRecord): Map<string, JsonRecord> {
  const content = Object.entries(document.record(holder['content'], '"content"'));
  return new Map(
    content.map(([name, media]) => [
      name.toLowerCase().replaceAll(' ', ''),
      document.resolve(media, `the media type "${name}"`),
    ]),
  );
}
