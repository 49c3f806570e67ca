// Compares one operation: the parameters and the body of its requests, and the statuses, headers and bodies of its responses.
import { matchNames } from './names.ts';
import { isRecord, type Document, type JsonRecord } from './document.ts';
import type { CompareSchemas } from './compare-schemas.ts';
import type { DifferenceKind } from './difference.ts';
import { type Operation, placeholdersOf } from './operations.ts';
import type { SchemaReader } from './read-schema.ts';
import { describeType, type Schema } from './schema-shape.ts';

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

interface Parameter {
  name: string;
  required: boolean;
  schema: Schema;
  type: string;
}

interface Header {
  name: string;
  schema: unknown;
}

export function compareRequests(comparing: OperationComparison): void {
  const before = readParameters(comparing.older);
  const after = readParameters(comparing.newer);
  // By location first: a parameter that moves from the query to a header is another parameter.
  for (const place of new Set([...before.keys(), ...after.keys()])) {
    compareParameters(comparing, place, before.get(place) ?? new Map(), after.get(place) ?? new Map());
  }
  compareBodies(comparing);
}

function compareParameters(
  comparing: OperationComparison,
  place: string,
  before: ReadonlyMap<string, Parameter>,
  after: ReadonlyMap<string, Parameter>,
): void {
  const { where, report, compareSent } = comparing;
  const parameters = matchNames(before, after, (removed, added) => removed.type === added.type);
  for (const { before: was, after: now } of parameters.kept) {
    const spot = `${where} ← ${place} ${now.name}`;
    if (now.required && !was.required && place !== 'path') {
      const message = `The ${place} parameter "${now.name}" was optional and is required.`;
      report('parameter-made-required', spot, message);
    }
    reportSchemas(comparing, compareSent, spot, was.schema, now.schema);
  }
  // The path itself defines its parameters; a missing declaration does not remove one.
  if (place === 'path') return;
  for (const [, { name, type }] of parameters.removed) {
    const message = `The ${place} parameter "${name}" (${type}) was removed${parameters.renamedTo}.`;
    report('parameter-or-field-removed', `${where} ← ${place} ${name}`, message);
  }
  for (const [, { name, type, required }] of parameters.added) {
    const word = required ? 'required' : 'optional';
    const message = `The ${word} ${place} parameter "${name}" (${type}) was added${parameters.renamedFrom}.`;
    const optional = place === 'header' ? 'optional-request-header-added' : 'optional-parameter-added';
    report(required ? 'required-parameter-added' : optional, `${where} ← ${place} ${name}`, message);
  }
}

/** By location, then by identity: headers ignoring case, path parameters by position. */
function readParameters({
  document,
  schemas,
  operation,
}: ContractOperation): Map<string, Map<string, Parameter>> {
  const positions = placeholdersOf(operation);
  const places = new Map<string, Map<string, Parameter>>();
  // The operation's parameters come second, to override those of the path.
  for (const value of [operation.item, operation.detail].flatMap((holder) =>
    document.list(holder['parameters'], '"parameters"'),
  )) {
    const detail = document.resolve(value, 'a parameter');
    const name = document.text(detail['name'], 'the name of a parameter');
    const place = document.text(detail['in'], `"in" of the parameter "${name}"`);
    const schema = schemas.schemaOf(detail['schema'] ?? soleMediaType(detail)['schema']);
    const type = describeType(schemas.shapeOf(schema));
    const position = place === 'path' ? positions.indexOf(name) : -1;
    const identity = place === 'header' ? name.toLowerCase() : position >= 0 ? String(position) : name;
    const parameters = places.get(place) ?? new Map<string, Parameter>();
    places.set(
      place,
      parameters.set(identity, { name, required: detail['required'] === true, schema, type }),
    );
  }
  return places;

  function soleMediaType(detail: JsonRecord): JsonRecord {
    const [media] = Object.values(document.record(detail['content'], 'the content of a parameter'));
    return document.record(media, 'the media type of a parameter');
  }
}

function compareBodies(comparing: OperationComparison): void {
  const { older, newer, where, report } = comparing;
  const before = readBody(older);
  const after = readBody(newer);
  const spot = `${where} ← body`;
  const isRequired = after?.['required'] === true;
  if (before !== undefined && after !== undefined) {
    if (isRequired && before['required'] !== true) {
      report('parameter-made-required', spot, 'The body was optional and is required.');
    }
    compareContents(comparing, 'request', `${where} ←`, before, after);
  } else if (before !== undefined) {
    report('parameter-or-field-removed', spot, 'The body was removed.');
  } else if (after !== undefined) {
    const kind = isRequired ? 'required-parameter-added' : 'optional-parameter-added';
    report(kind, spot, `${isRequired ? 'A required' : 'An optional'} body was added.`);
  }
}

function readBody({ document, operation }: ContractOperation): JsonRecord | undefined {
  const body = operation.detail['requestBody'];
  return body === undefined ? undefined : document.resolve(body, 'a request body');
}

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

function reportSchemas(
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
function compareContents(
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
