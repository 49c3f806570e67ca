// Transfers the webhooks of an account that ends to another account.
import { systemActor } from '../../kernel/identity/actor.ts';
import type { TransferOwnership } from '../../kernel/identity/store-accounts.ts';
import { updateDeliveryOwner } from '../../kernel/webhooks/store-deliveries.ts';
import { ACTORS_API } from './dispatch-model.ts';
import { updateWebhookOwner } from './store.ts';

export const transferWebhooks: TransferOwnership = async (tx, from, to) => {
  // Removing the account was authorized, and the transfer follows from it.
  const transfer = tx.as(systemActor(tx.actor));
  const webhooks = await updateWebhookOwner(transfer.db, from.id, to.id);
  await updateDeliveryOwner(transfer.db, ACTORS_API, from.id, to.id);
  if (webhooks === 0n) return;
  transfer.record({
    accesses: [{ action: 'transferWebhooks', resource: `service-token/${from.id}` }],
    kind: 'token',
    name: from.username,
    verb: `gave to ${to.username} the webhooks of the token`,
    after: { owner: to.username, webhooks: Number(webhooks) },
  });
};
