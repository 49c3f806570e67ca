// Checks that every version change and version mark of an API has an effect.
import type { RouteShape } from '../http/route.ts';
import type { TSchema } from '../schema/schema.ts';
import { schemaInVersion } from './schema-version.ts';
import {
  existsIn,
  mentions,
  schemasOf,
  type OperationChange,
  type VersionChange,
  type VersionTable,
} from './version.ts';

/**
 * Throws where a change or a version mark matches nothing, or where a changed branch of a union cannot be distinguished
 * from another: no caller would ever report such a mistake. A test asks it of all routes, so that no start has to.
 */
export function checkVersions(shapes: readonly RouteShape[], table: VersionTable): void {
  const { names: answering, ended = [], announced = [], changes, operationChanges = [] } = table;
  const names = [...ended, ...answering, ...announced];
  const misplaced = names.find((name, index) => index > 0 && name <= names[index - 1]!);
  if (misplaced !== undefined)
    throw new Error(`The version ${misplaced} is not newer than the one before it`);
  for (const { title, version, advice } of [...changes, ...operationChanges]) {
    if (!names.includes(version))
      throw new Error(`The change "${title}" names the unknown version ${version}`);
    if (advice.trim() === '') throw new Error(`The change "${title}" does not say what callers do instead`);
  }
  for (const { title, schema, up, down } of changes) {
    const step = { schema } as VersionChange;
    const replies = shapes.flatMap(({ reply = {}, list }) => [...Object.values(reply), list]);
    const bodies = shapes.map(({ body }) => body);
    const matches = (among: (TSchema | null | undefined)[]) =>
      among.some((one) => one != null && mentions(one, step));
    if (up === undefined && down === undefined) throw new Error(`The change "${title}" changes nothing`);
    if (down !== undefined && !matches(replies)) throw new Error(`The change "${title}" matches no reply`);
    if (up !== undefined && !matches(bodies))
      throw new Error(`The change "${title}" matches no request body`);
  }
  for (const step of operationChanges) checkOperations(step, shapes);
  for (const { id, since, until } of shapes) {
    for (const mark of [since, until]) {
      if (mark !== undefined && !names.includes(mark)) {
        throw new Error(`The route ${id} names the unknown version ${mark}`);
      }
    }
  }
  for (const shape of shapes) checkUnions(shape, table);
}

function checkOperations(
  { title, operations, status }: OperationChange,
  shapes: readonly RouteShape[],
): void {
  for (const operation of operations) {
    const shape = shapes.find(({ id }) => id === operation);
    if (shape === undefined)
      throw new Error(`The change "${title}" names the unknown operation ${operation}`);
    if (status !== undefined && !(status.now in (shape.reply ?? {})))
      throw new Error(
        `The change "${title}" is about the status ${status.now}, which ${operation} never has`,
      );
  }
}

/** Checks the oldest version that has the route: newer ones apply a subset of its changes. */
function checkUnions(shape: RouteShape, table: VersionTable): void {
  const oldest = table.names.find((name) => existsIn(shape, name));
  if (oldest === undefined) return;
  const variants = new Set([undefined, ...table.changes.map(({ only }) => only)]);
  for (const schema of schemasOf(shape)) {
    try {
      for (const variant of variants) schemaInVersion(schema, oldest, table, variant);
    } catch (error) {
      throw new Error(`The route ${shape.id} has no older versions: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
}
