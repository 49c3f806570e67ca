// Finds the project and environment of a segment by its id, for background work.
import type { Db } from '../../kernel/storage/tables.ts';
import { findEnvironmentById } from '../environments/store.ts';
import { findProjects } from '../projects/store.ts';
import type { SegmentRef } from './change-segment.ts';
import { findSegmentById } from './store.ts';

export async function findSegmentRef(db: Db, segmentId: string): Promise<SegmentRef | undefined> {
  const segment = await findSegmentById(db, segmentId);
  const environment = segment && (await findEnvironmentById(db, segment.environmentId));
  const [project] = environment === undefined ? [] : await findProjects(db, [environment.projectId]);
  return project && { project, environment: environment!, segmentKey: segment!.key };
}
