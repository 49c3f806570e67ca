// A delivery of a webhook: what is saved with it and with its attempt, and how it went.
import type { Headers } from '../../kernel/http/protocol.ts';

/** What is saved with a delivery, beside its body. */
export interface HookDeliveryDetails {
  event: string;
  action: string | null;
  /** The number of the repository that it is about. */
  repository: number | null;
  /** The number of the installation, where the hook is an app's. */
  installation?: number;
  isRedelivery: boolean;
}

/** What is saved with an attempt, for those who look into a delivery. */
export interface HookAttemptDetails {
  url: string;
  requestHeaders: Headers;
  /** Null where there was no answer. */
  responseHeaders: Headers | null;
  isTimeout: boolean;
}

/** What came of a delivery, in the words that clients know. */
export function deliveryStatus(status: number | null, isTimeout: boolean): string {
  if (status === null) return isTimeout ? 'timed out' : 'failed to connect to host';
  return status >= 200 && status < 300 ? 'OK' : `Invalid HTTP Response: ${status}`;
}
