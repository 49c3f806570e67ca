// How the outcome of a delivery looks.
import type { StatusTone } from '../../ui/status.tsx';
import type { DeliveryState } from './webhooks-queries.ts';

/** One that waits after a failed attempt is a warning. */
export function outcomeTone(state: DeliveryState, wasTried: boolean): StatusTone {
  if (state === 'delivered') return 'ok';
  if (state === 'failed') return 'bad';
  return wasTried ? 'warn' : 'run';
}
