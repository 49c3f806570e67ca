// What a breaking change means for callers: the operations that it is about, and the fields that it changes.
import type { Api } from '../http/protocol.ts';
import type { RouteShape } from '../http/route.ts';
import type { JsonSchema } from '../schema/schema.ts';
import { concerns, mentions, replySchemasOf, type BreakingChange, type VersionTable } from './version.ts';

export interface AffectedOperation {
  shape: RouteShape;
  /** Which of its bodies the change is about. */
  in: 'request' | 'reply' | 'both';
}

export interface ChangedField {
  name: string;
  kind: 'removed' | 'added' | 'changed';
}

/** The page of a version. */
export function versionPath(api: string, version: string): string {
  return `/docs/${api}/versions/${version}`;
}

/** Where the page of a version lists the operations that it adds, and those that it removes. */
export const ADDED_ANCHOR = 'added';
export const REMOVED_ANCHOR = 'removed';

/** The changes of one version that have the same title are one change for readers: it is about several resources. */
export interface ChangeGroup {
  title: string;
  advice: string;
  /** Where it stands on the page of its version. */
  anchor: string;
  changes: readonly BreakingChange[];
}

export function changeGroupsOf(
  version: string,
  { changes, operationChanges = [] }: VersionTable,
): ChangeGroup[] {
  const own = [...changes, ...operationChanges].filter((change) => change.version === version);
  const byTitle = Map.groupBy(own, ({ title }) => title);
  return [...byTitle.values()].map((group) => {
    const [{ title, advice }] = group as [BreakingChange];
    return { title, advice, anchor: changeAnchor(title), changes: group };
  });
}

/** From the title up to its first semicolon. */
export function changeAnchor(title: string): string {
  return title
    .split(';')[0]!
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** The operations of the API that callers of older versions know, and that the change is about. */
export function affectedOperations(
  change: BreakingChange,
  { routes }: Pick<Api, 'routes'>,
): AffectedOperation[] {
  return routes.flatMap(({ shape }) => {
    const wasThere = shape.since === undefined || shape.since < change.version;
    const isThere = shape.until === undefined || shape.until > change.version;
    const where = wasThere && isThere ? placeOf(change, shape) : undefined;
    return where === undefined ? [] : [{ shape, in: where }];
  });
}

function placeOf(change: BreakingChange, shape: RouteShape): AffectedOperation['in'] | undefined {
  if ('operations' in change) return concerns(change, shape) ? 'reply' : undefined;
  const isSent = shape.body !== undefined && mentions(shape.body, change);
  const isReplied = replySchemasOf(shape).some((schema) => mentions(schema, change));
  if (isSent && isReplied) return 'both';
  return isSent ? 'request' : isReplied ? 'reply' : undefined;
}

/** The properties of the resource itself: those of resources nested in it have changes of their own. */
export function changedFieldsOf(change: BreakingChange): ChangedField[] {
  if ('operations' in change) return [];
  const now = change.schema as JsonSchema;
  const before = change.before as JsonSchema;
  const names = new Set([...Object.keys(before.properties ?? {}), ...Object.keys(now.properties ?? {})]);
  return [...names].flatMap((name) => {
    const kind = kindOf(name, before, now);
    return kind === undefined ? [] : [{ name, kind }];
  });
}

function kindOf(name: string, before: JsonSchema, now: JsonSchema): ChangedField['kind'] | undefined {
  const [old, current] = [before.properties?.[name], now.properties?.[name]];
  if (current === undefined) return 'removed';
  if (old === undefined) return 'added';
  const wasRequired = before.required?.includes(name) === true;
  const isRequired = now.required?.includes(name) === true;
  const isSame = old === current || JSON.stringify(old) === JSON.stringify(current);
  return isSame && wasRequired === isRequired ? undefined : 'changed';
}
