// Evaluations of a flag as it is saved and as a draft, with every step and its reason.
import { openEnvironment } from '../../flags/find-project.ts';
import { readContext, type Context } from '../../flags/evaluation/context.ts';
import { readChangeContext } from '../../flags/feature-flags/change/draft-change.ts';
import { Failure } from '../../kernel/failure.ts';
import { route } from '../../kernel/http/route.ts';
import { problem, type Static } from '../../kernel/schema/schema.ts';
import { retryContested } from '../../kernel/storage/retry.ts';
import { evaluateForContexts } from './evaluate-flag.ts';
import { EvaluationPost, EvaluationReply, MAX_CONTEXTS, MAX_DETAILED } from './evaluate-model.ts';
import { applyToFlag } from './preview-flag.ts';
import { PATCH_LIMITS } from './preview-model.ts';
import { ByFlagKey, readInstructions } from './preview-routes.ts';

const evaluateDraft = route(
  {
    id: 'evaluateFlagForContexts',
    method: 'POST',
    path: '/projects/{projectKey}/flags/{flagKey}/evaluate',
    summary: 'Evaluate a flag for contexts, as it is saved and as a draft, and say why',
    description:
      `For one context, or for up to ${MAX_CONTEXTS}. With instructions, the draft is the saved flag after them; other flags and ` +
      'segments are as they are saved. The first 50 rules that did not match are shown in detail; with more than ' +
      `${MAX_DETAILED} contexts, the first 5. Nothing is written, and no event is counted.`,
    access: { action: 'viewProject' },
    isData: true,
    worksOnFullDisk: true,
    params: ByFlagKey,
    body: EvaluationPost,
    ...PATCH_LIMITS,
    reply: { 200: EvaluationReply },
  },
  async (call, { db, services }) => {
    const { projectKey, flagKey } = call.params;
    const { environmentKey, instructions } = call.body;
    const patch = instructions && readInstructions({ environmentKey, instructions });
    const contexts = readContexts(call.body);
    const { project, environment } = await openEnvironment(call, db, projectKey, environmentKey);
    const ref = { project, flagKey };
    const edited = patch && (await applyToFlag(db, call, ref, patch));
    if (edited?.isDeleted) throw problem('/instructions', 'delete the flag: nothing is left to evaluate');
    const saved = edited?.before ?? (await retryContested(() => readChangeContext(db, ref))).found.flag;
    if (saved.environments[environment.key] === undefined)
      throw new Failure('conflict', 'The environment was made just now. Try again.');
    const feed = await services.feeds.open(environment);
    const items = await evaluateForContexts(db, feed, {
      environmentKey: environment.key,
      saved,
      draft: edited?.after,
      contexts,
    });
    return { version: saved.version, items };
  },
);

function readContexts({ context, contexts }: Static<typeof EvaluationPost>): Context[] {
  if (context !== undefined && contexts === undefined) return [readContext(context)];
  if (contexts === undefined || context !== undefined)
    throw problem('/context', 'must be there, or `contexts` in its place');
  return contexts.map((given, index) => {
    try {
      return readContext(given);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const fields = error.details.fields?.map(({ field, message }) => ({
        field: `/contexts/${index}/${field}`,
        message,
      }));
      throw new Failure(error.kind, `contexts[${index}]: ${error.message}`, {
        ...error.details,
        ...(fields && { fields }),
      });
    }
  });
}

export const evaluateRoutes = [evaluateDraft];
