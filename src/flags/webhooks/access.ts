// Who sees what a delivery has sent, and who may have it sent again: the rules of webhooks and of audit-log subscriptions.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { WebhookDelivery } from '../../kernel/webhooks/store-deliveries.ts';
import { findEntry } from '../audit-log/store.ts';
import { isOfAllMembers, visibility, type AuditLogCall } from '../audit-log/visibility.ts';

type VisibilityKernel = Pick<Kernel, 'db' | 'auditedAccounts'>;

/** What was sent is shown to callers who may see the audit entry that it is. */
export async function seesDeliveredEntry(
  call: AuditLogCall,
  kernel: VisibilityKernel,
  { eventId }: Pick<WebhookDelivery, 'eventId'>,
): Promise<boolean> {
  const entry = await findEntry(kernel.db, eventId);
  return entry !== undefined && (await visibility(call, kernel))(entry);
}

/** A webhook is changed by others than the one whose entries it has received: they must not have them sent elsewhere. */
export async function requireRedelivery(
  call: AuditLogCall,
  kernel: VisibilityKernel,
  { eventId }: Pick<WebhookDelivery, 'eventId'>,
): Promise<void> {
  const entry = await findEntry(kernel.db, eventId);
  if (entry !== undefined && !isOfAllMembers(entry.resource) && !(await visibility(call, kernel))(entry))
    throw new Failure('denied', 'You may not see the audit entry that this delivery is about.');
}
