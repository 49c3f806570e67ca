// Copies the webhooks of Actors and tasks, disabled without --enable: a first try must call nobody.
import { createHash } from 'node:crypto';
import { findActorId } from './copy-actors.ts';
import {
  differingFields,
  pickFields,
  type RemoteFields,
  attempt,
  reportThing,
  type ImportContext,
} from './import-context.ts';
import { findTaskId } from './copy-tasks.ts';
import { eachListed } from './remote-lists.ts';

const KIND = 'webhooks';
const FIELDS = [
  'eventTypes',
  'payloadTemplate',
  'headersTemplate',
  'shouldInterpolateStrings',
  'ignoreSslErrors',
  'doNotRetry',
  'description',
];

interface RemoteWebhook extends RemoteFields {
  id: string;
  requestUrl: string;
  isAdHoc?: boolean | null;
  /** Some servers do not show it: then it is on. */
  isEnabled?: boolean;
  condition: { actorId?: string | null; actorTaskId?: string | null; actorRunId?: string | null };
}

export async function copyWebhooks(context: ImportContext): Promise<void> {
  const { from, to } = context;
  const known: RemoteWebhook[] = [];
  for await (const webhook of eachListed<RemoteWebhook>(to, '/webhooks')) known.push(webhook);
  for await (const { id, requestUrl, isAdHoc, condition } of eachListed<RemoteWebhook>(from, '/webhooks')) {
    // Those of a single run have done their work.
    if (isAdHoc === true || condition.actorRunId != null) continue;
    const name = nameOf(id, requestUrl);
    await attempt(context, { kind: KIND, name }, async () => {
      await copyWebhook(context, await from.get<RemoteWebhook>(`/webhooks/${id}`), known);
    });
  }
}

/** A URL may have a secret in its path or its query, so only the host is shown. */
function nameOf(id: string, requestUrl: string): string {
  return `${id} (${URL.parse(requestUrl)?.host ?? 'no URL'})`;
}

async function copyWebhook(
  context: ImportContext,
  webhook: RemoteWebhook,
  known: readonly RemoteWebhook[],
): Promise<void> {
  const { from, to, options, report } = context;
  const name = nameOf(webhook.id, webhook.requestUrl);
  const condition = await mapCondition(context, webhook.condition);
  if ('missing' in condition)
    return reportThing(context, { kind: KIND, name, outcome: 'skipped', reason: condition.missing });
  const { requestUrl, isOwnRun } = await moveRunUrl(context, webhook.requestUrl);
  if (!isOwnRun && URL.parse(requestUrl)?.origin === new URL(from.url).origin)
    report.ask(`Change the URL of the webhook ${name}: it still calls the server that you move from.`);
  const wanted = { ...pickFields(webhook, FIELDS), requestUrl, condition };
  const isOn = webhook.isEnabled !== false;
  // A webhook starts runs with the permissions of the token that saved it, and the import's own ends with the import.
  const isEnabled = isOn && options.enables && !(isOwnRun && context.hasOwnToken);
  if (isOn && !isEnabled)
    report.ask(
      `Turn the webhook ${name} on when you move: it is off here, so that a first try calls nobody.`,
    );
  const same = known.find((other) => differingFields({ condition, requestUrl }, other).length === 0);
  if (same === undefined) {
    const idempotencyKey = createHash('sha256').update(`${from.url}\n${webhook.id}`).digest('hex');
    const body = { ...wanted, isEnabled, idempotencyKey };
    // The key makes it the same webhook, however often it is sent.
    if (!options.isDryRun) await to.send('POST', '/webhooks', body, { isRepeatable: true });
    return reportThing(context, { kind: KIND, name, outcome: 'created' });
  }
  const there = await to.get<RemoteWebhook>(`/webhooks/${same.id}`);
  const differing = differingFields({ ...wanted, ...(isEnabled && { isEnabled }) }, there);
  if (differing.length === 0) return reportThing(context, { kind: KIND, name, outcome: 'unchanged' });
  if (!options.overwrites && differing.some((field) => field !== 'isEnabled')) {
    const reason = `differs in ${differing.join(', ')}`;
    return reportThing(context, { kind: KIND, name, outcome: 'kept', reason });
  }
  if (!options.isDryRun)
    await to.send('PUT', `/webhooks/${same.id}`, { ...wanted, ...(isEnabled && { isEnabled }) });
  reportThing(context, { kind: KIND, name, outcome: 'changed', reason: differing.join(', ') });
}

async function mapCondition(
  context: ImportContext,
  { actorId, actorTaskId }: RemoteWebhook['condition'],
): Promise<{ actorId: string } | { actorTaskId: string } | { missing: string }> {
  const found =
    actorTaskId == null ? await findActorId(context, actorId ?? '') : await findTaskId(context, actorTaskId);
  if (typeof found === 'object') return found;
  return actorTaskId == null ? { actorId: found } : { actorTaskId: found };
}

const RUNS = /^(.*)\/v2\/(acts|actors|actor-tasks)\/([^/]+)\/runs\/?$/;

interface MovedUrl {
  requestUrl: string;
  /** Whether it starts a run of the target. */
  isOwnRun: boolean;
}

/**
 * The URL of a webhook that starts a run at the server it belongs to starts the same run on the target. Any other URL stays as it
 * is. A token in the URL is of no use on the target, and is left out.
 */
async function moveRunUrl(context: ImportContext, requestUrl: string): Promise<MovedUrl> {
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
