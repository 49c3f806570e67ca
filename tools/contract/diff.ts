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
import { changesAccess, describeAccess, readAccess } from './access.ts';
import { createComparison } from './compare-schemas.ts';
import { sortDifferences, severityOf } from './difference.ts';
import { openDocument } from './document.ts';
import { matchOperations, operationName, readOperations } from './operations.ts';
import { createSchemaReader } from './read-schema.ts';
import { compareRequests } from './request.ts';
import { compareResponses } from './response.ts';
import type { OperationComparison, Contract } from './operation-comparison.ts';
import type { Difference } from './difference.ts';

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
