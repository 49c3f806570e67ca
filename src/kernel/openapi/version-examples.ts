// The same call under two versions, for the pages of versions: real exchanges that tests had, read from a file.
import { readExampleFile } from './examples.ts';

/** One side of an example. Where members or items are left out, the body has the member or the item `…`. */
export interface ExampleReply {
  status: number;
  type?: string;
  body?: unknown;
}

/** A call that a change is about, in the version before it and in its own, trimmed to what the change is about. */
export interface VersionExample {
  /** The method and the path, with the names of parameters. */
  call: string;
  /** The header, where the change is about callers who send it. */
  accept?: string;
  /** The body of the request, where it has one of the changed fields. */
  request?: unknown;
  before: ExampleReply;
  after: ExampleReply;
}

/** By version, then by the anchor of the change. */
export type VersionExamples = Readonly<Record<string, Readonly<Record<string, VersionExample>>>>;

/** The member or item that stands for those that are left out. */
export const LEFT_OUT = '…';

export async function readVersionExamples(api: string): Promise<VersionExamples> {
  return (await readExampleFile<VersionExamples>(`${api}.versions.json`)) ?? {};
}
