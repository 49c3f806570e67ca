// Prepares the evaluation of an environment's flags for one context.
import type { Db } from '../../kernel/storage/tables.ts';
import { loadBigSegments } from '../delivery/big-segments.ts';
import type { Feed } from '../delivery/feed.ts';
import type { Context } from '../evaluation/context.ts';
import { beginRun, type EvaluationRun } from '../evaluation/run.ts';

export interface PreparedEvaluation {
  /** Of the environment's flags and segments. */
  revision: number;
  /** Membership of the context in big segments, which can change within a revision, while a file is imported. */
  memberships: readonly (boolean | undefined)[];
  run: EvaluationRun;
}

export async function beginEvaluation(db: Db, feed: Feed, context: Context): Promise<PreparedEvaluation> {
  // The feed may advance while memberships are read.
  const { revision } = feed;
  const bigSegments = [...feed.bigSegments.keys()];
  const loaded = await loadBigSegments(db, feed, context);
  return {
    revision,
    memberships: bigSegments.map((key) => loaded.bigSegmentInclusion(key)),
    run: beginRun(context, loaded),
  };
}
