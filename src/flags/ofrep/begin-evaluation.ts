// Prepares the evaluation of an environment's flags for one context.
import type { Kernel } from '../../kernel/kernel.ts';
import { loadBigSegments } from '../delivery/big-segments.ts';
import type { Context } from '../evaluation/context.ts';
import { beginRun, type EvaluationRun } from '../evaluation/run.ts';
import type { Environment } from '../projects/project.ts';

export interface PreparedEvaluation {
  /** Of the environment's flags and segments. */
  revision: number;
  /** Membership of the context in big segments, which can change within a revision, while a file is imported. */
  memberships: readonly (boolean | undefined)[];
  run: EvaluationRun;
}

export async function beginEvaluation(
  kernel: Kernel,
  environment: Environment,
  context: Context,
): Promise<PreparedEvaluation> {
  const feed = await kernel.services.feeds.open(environment);
  const { revision } = feed;
  const loaded = await loadBigSegments(kernel.db, feed, context);
  return {
    revision,
    memberships: Array.from(feed.bigSegments.keys(), (key) => loaded.bigSegmentInclusion(key)),
    run: beginRun(context, loaded),
  };
}
