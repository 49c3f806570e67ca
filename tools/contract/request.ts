// Compares the requests of one operation: path, query, header and cookie parameters, and the body.
import { compareContents, reportSchemas } from './operation-comparison.ts';
import { matchNames } from './names.ts';
import { placeholdersOf } from './operations.ts';
import { describeType } from './schema-shape.ts';
import type { OperationComparison, ContractOperation } from './operation-comparison.ts';
import type { JsonRecord } from './document.ts';
import type { Schema } from './schema-shape.ts';

interface Parameter {
  name: string;
  required: boolean;
  schema: Schema;
  type: string;
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
