// Copies the webhooks of Actors and tasks, disabled without --enable: a first try must call nobody.
import { createHash } from 'node:crypto';
import { findActorId } from './copy-actors.ts';
import { differingFields, pickFields, type RemoteFields } from './differences.ts';
import { findTaskId } from './find-task.ts';
import { attempt, reportThing, type ImportContext } from './import-context.ts';
import { eachListed } from './remote-lists.ts';
import { moveRunUrl } from './webhook-url.ts';

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
