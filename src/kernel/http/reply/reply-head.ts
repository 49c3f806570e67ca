// The status and the content type of a reply in one version, where changes of its operation are ahead of that version.
import type { Headers } from '../protocol.ts';
import type { RouteShape } from '../route.ts';
import { concerns, newestFirst, type OperationChange, type VersionTable } from '../../versions/version.ts';

export interface ReplyHead {
  status: number;
  headers: Headers;
}

/** The changes of the operation that are undone for callers of the version, in this order. */
export function operationChangesAhead(
  shape: RouteShape,
  version: string,
  { operationChanges = [] }: VersionTable,
): OperationChange[] {
  return newestFirst(operationChanges).filter((step) => step.version > version && concerns(step, shape));
}

export function statusBefore(status: number, steps: readonly OperationChange[]): number {
  return steps.reduce((now, step) => (step.status?.now === now ? step.status.before : now), status);
}

/** Parameters of the type stay. */
export function contentTypeBefore(type: string, steps: readonly OperationChange[]): string {
  const [name = '', ...parameters] = type.split(';');
  const before = steps.reduce(
    (now, { contentType }) => (contentType?.now === now ? contentType.before : now),
    name.trim().toLowerCase(),
  );
  return [before, ...parameters].join(';');
}

/** A reply of this status has no body. */
export function isBodyless(status: number): boolean {
  return status === 204 || status === 304;
}

/**
 * Makes the head of a reply of the newest version that of the caller's; undefined where no change is ahead. `usual` is the
 * content type of replies that do not name their own.
 */
export function headInVersion(
  shape: RouteShape,
  version: string,
  table: VersionTable,
  usual: string | undefined,
): ((head: ReplyHead) => ReplyHead) | undefined {
  const steps = operationChangesAhead(shape, version, table);
  if (steps.length === 0) return undefined;
  return ({ status: now, headers }) => {
    const status = statusBefore(now, steps);
    const type = headers['content-type'] ?? usual;
    if (isBodyless(status)) {
      const { 'content-type': _type, ...others } = headers;
      return { status, headers: others };
    }
    return {
      status,
      headers: type === undefined ? headers : { ...headers, 'content-type': contentTypeBefore(type, steps) },
    };
  };
}
