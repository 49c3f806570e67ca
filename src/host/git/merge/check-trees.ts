// Measures the trees of a merge before they come to the repository: each side is within the limits, and both together may not be.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { openTreeSource, TreeMeasure } from '../objects/tree-expansion.ts';
import { MAX_TREE, type GitRepository } from '../repository.ts';
import { looseFileOf } from '../objects/loose-objects.ts';
import { listLoose, type QuarantinedTarget } from './quarantine.ts';

/** Of the type and the size before the content. */
const MAX_HEADER = 32;
const inflateOnThread = promisify(inflate);

/** @throws {Failure} where one of them is larger than any tree may be. */
export async function checkNewTrees(
  { services, folder }: GitRepository,
  { quarantine }: QuarantinedTarget,
  trees: readonly string[],
): Promise<void> {
  const fresh = new Set(await listLoose(quarantine));
  const { pool, expansions: known } = services;
  const stored = openTreeSource({ pool, folder, known });
  async function* read(oids: readonly string[]) {
    for (const oid of oids)
      if (fresh.has(oid)) yield { oid, bytes: await readLoose(join(quarantine, looseFileOf(oid))) };
    yield* stored.read(oids.filter((oid) => !fresh.has(oid)));
  }
  await new TreeMeasure({ known, read }).measure(trees);
}

async function readLoose(path: string): Promise<Buffer> {
  const bytes = await inflateOnThread(await readFile(path), { maxOutputLength: MAX_TREE + MAX_HEADER });
  return bytes.subarray(bytes.indexOf(0) + 1);
}
