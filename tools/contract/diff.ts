// Reports every difference between two OpenAPI documents as breaking or additive, by the specification's two lists.
//
// Differences in neither list are not reported: descriptions, examples, defaults, deprecation marks, tags, servers,
// callbacks and webhooks; a rule that is loosened or removed; a parameter that becomes optional or accepts more types;
// a response field that becomes optional or gets a rule. Where the lists are ambiguous, they are read like this:
//
// - Parameters are path, query, header and cookie parameters and everything in a request body, at any depth. Fields are
//   everything in a response body. A `readOnly` member is only a field, a `writeOnly` member only a parameter.
// - A removed response header counts as a field. A status or a media type stands for its content: if it is removed, its
//   fields (or parameters) are removed; if it is new, they are added.
// - A rename is a removal and an addition; the message mentions a likely rename. The name of a path placeholder is
//   no difference, because a caller never sends it: `/users/{u}` equals `/users/{username}`.
// - A parameter's type changes if a value that was accepted no longer is; a field's type at every change, including
//   to and from null. Losing an alternative of anyOf or oneOf is such a change, and for fields so is gaining one.
// - Enum values count in both directions, for parameters and fields alike. A parameter that gets its first enum has a
//   new rule; a value that loses its enum is opened to all others, which adds them.
// - A validation rule is added when a bound is new or tighter, or when any other rule is new or different.
// - Access is compared by what a caller must present (schemes, scopes, the permission in `x-permission`). An additional
//   alternative scheme does not affect callers who use another.
// - A request body that the older document describes by words alone (a `description`, and no schema) is not compared: a
//   schema that says the same is no restriction.
import { Failure } from '../../src/kernel/failure.ts';
import { createComparison } from './compare-schemas.ts';
import { sortDifferences, severityOf, type Difference } from './difference.ts';
import { openDocument, type Document } from './document.ts';
import { matchOperations, operationName, readOperations, type Operation } from './operations.ts';
import { createSchemaReader } from './read-schema.ts';
import {
  compareRequests,
  compareResponses,
  type OperationComparison,
  type Contract,
} from './compare-operation.ts';

export type { Difference, DifferenceKind } from './difference.ts';

/** Throws `invalid` with a message that names the error in a document. */
export function diffContracts(older: unknown, newer: unknown): Difference[] {
  try {
    return sortDifferences(compareContracts(openContract(older, 'older'), openContract(newer, 'newer')));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Failure('invalid', 'The documents are nested too deeply to be compared.', { cause: error });
  }
}

function openContract(value: unknown, name: string): Contract {
  const document = openDocument(value, name);
  return { document, schemas: createSchemaReader(document) };
}

function compareContracts(older: Contract, newer: Contract): Difference[] {
  const differences: Difference[] = [];
  const report: OperationComparison['report'] = (kind, where, message) => {
    differences.push({ severity: severityOf(kind), kind, where, message });
  };
  const compareSent = createComparison(older.schemas, newer.schemas, 'request');
  const compareReturned = createComparison(older.schemas, newer.schemas, 'response');

  const operations = matchOperations(readOperations(older.document), readOperations(newer.document));
  for (const operation of operations.removed) {
    const name = operationName(operation);
    report('operation-removed', name, `The operation ${name} was removed.`);
  }
  for (const operation of operations.added) {
    const name = operationName(operation);
    report('operation-added', name, `The operation ${name} was added.`);
  }
  for (const matched of operations.matched) {
    const comparing: OperationComparison = {
      older: { ...older, operation: matched.older },
      newer: { ...newer, operation: matched.newer },
      where: operationName(matched.newer),
      compareSent,
      compareReturned,
      report,
    };
    compareAccess(comparing);
    compareRequests(comparing);
    compareResponses(comparing);
  }
  return differences;
}

function compareAccess({ older, newer, where, report }: OperationComparison): void {
  const before = readAccess(older.document, older.operation);
  const after = readAccess(newer.document, newer.operation);
  if (changesAccess(before, after)) {
    const message = `Who may call it changed from ${describeAccess(before)} to ${describeAccess(after)}.`;
    report('access-changed', where, message);
  }
}

/** The requirements of an operation on its caller: the accepted authentication and the needed permission. */
interface AccessRequirements {
  /** Alternatives. A scheme is identified by what the caller must do, not by its name in the document. */
  ways: ReadonlySet<string>;
  permission?: string;
}

const ANYONE = 'anyone';

function readAccess(document: Document, operation: Operation): AccessRequirements {
  const security = document.list(operation.detail['security'] ?? document.root['security'], '"security"');
  const alternatives = security.map((value) => {
    const requirements = Object.entries(document.record(value, 'a security requirement')).map(
      ([name, scopes]) => {
        const names = document.list(scopes, `the scopes of "${name}"`).map(String).sort();
        return describeScheme(document, name) + (names.length > 0 ? ` [${names.join(', ')}]` : '');
      },
    );
    return requirements.sort().join(' with ') || ANYONE;
  });
  const ways = new Set(alternatives.length === 0 ? [ANYONE] : alternatives);
  const permission = operation.detail['x-permission'];
  return permission === undefined
    ? { ways }
    : { ways, permission: document.text(permission, '"x-permission"') };
}

/** An additional alternative does not affect callers who use another; the first one does, as it adds a requirement. */
function changesAccess(older: AccessRequirements, newer: AccessRequirements): boolean {
  if (older.permission !== newer.permission) return true;
  if (newer.ways.has(ANYONE) !== older.ways.has(ANYONE)) return true;
  return [...older.ways].some((way) => !newer.ways.has(way));
}

/** The text does not depend on the order. */
function describeAccess({ ways, permission }: AccessRequirements): string {
  const access = [...ways].sort().join(' or ');
  return permission === undefined ? access : `${access}, permission ${permission}`;
}

function describeScheme(document: Document, name: string): string {
  const components = document.record(document.root['components'], '"components"');
  const schemes = document.record(components['securitySchemes'], '"securitySchemes"');
  if (!Object.hasOwn(schemes, name)) return name;
  const scheme = document.resolve(schemes[name], `the security scheme "${name}"`);
  const word = (key: string) => (typeof scheme[key] === 'string' ? scheme[key] : '');
  switch (scheme['type']) {
    case 'apiKey':
      return `key in ${word('in')} ${word('in') === 'header' ? word('name').toLowerCase() : word('name')}`;
    case 'http':
      return `HTTP ${word('scheme').toLowerCase()}`;
    case 'openIdConnect':
      return `OpenID Connect ${word('openIdConnectUrl')}`;
    case 'oauth2':
      return `OAuth 2 ${describeFlows(document, scheme['flows'])}`;
    default:
      return word('type') || name;
  }
}

function describeFlows(document: Document, value: unknown): string {
  const flows = Object.entries(document.record(value, 'the flows of a security scheme'));
  const texts = flows.map(([kind, flow]) => {
    const { authorizationUrl, tokenUrl } = document.record(flow, `the flow "${kind}"`);
    return [kind, authorizationUrl, tokenUrl].filter((part) => typeof part === 'string').join(' ');
  });
  return `(${texts.sort().join('; ')})`;
}
