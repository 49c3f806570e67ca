// The URL of a webhook that starts a run at the server it belongs to: on the target it starts the same run there.
import { findActorId } from './copy-actors.ts';
import { findTaskId } from './find-task.ts';
import type { ImportContext } from './import-context.ts';

const RUNS = /^(.*)\/v2\/(acts|actors|actor-tasks)\/([^/]+)\/runs\/?$/;

interface MovedUrl {
  requestUrl: string;
  /** Whether it starts a run of the target. */
  isOwnRun: boolean;
}

/** Any other URL stays as it is. A token in the URL is of no use on the target, and is left out. */
export async function moveRunUrl(context: ImportContext, requestUrl: string): Promise<MovedUrl> {
  const { from, publicUrl } = context;
  const url = URL.parse(requestUrl);
  const [, , collection, segment] = RUNS.exec(url?.pathname ?? '') ?? [];
  if (url === null || segment === undefined || url.origin !== new URL(from.url).origin)
    return { requestUrl, isOwnRun: false };
  const isTask = collection === 'actor-tasks';
  const source = await from.find<{ id: string }>(`/${isTask ? 'actor-tasks' : 'actors'}/${segment}`);
  if (source === undefined) return { requestUrl, isOwnRun: false };
  const id = isTask ? await findTaskId(context, source.id) : await findActorId(context, source.id);
  if (typeof id === 'object') return { requestUrl, isOwnRun: false };
  url.searchParams.delete('token');
  const moved = `${publicUrl}/v2/${isTask ? 'actor-tasks' : 'actors'}/${id}/runs${url.search}`;
  return { requestUrl: moved, isOwnRun: true };
}
